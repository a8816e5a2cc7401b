"""Repositories whose commits have times of their own."""

from __future__ import annotations

from collections.abc import Mapping

from tests.conftest import GitRepository

DAY = 24 * 3600
START = 1_600_000_000


def commit_at(
    repo: GitRepository, day: int, files: Mapping[str, str | bytes], message: str = "change", gone: str = ""
) -> str:
    """Commit files (and take one away) on a day after the start."""
    if gone:
        repo.git("rm", "--quiet", gone)
    repo.stage(files)
    date = f"{START + day * DAY} +0000"
    dates = {"GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date}
    repo.git("commit", "--quiet", "--no-verify", "--allow-empty", "-m", message, env=dates)
    return repo.git("rev-parse", "HEAD").strip()


def numbered(first: int, last: int) -> str:
    """A text of lines that are all different."""
    return "".join(f"line number {n} of the file\n" for n in range(first, last + 1))
