"""The id of a context is the same for equivalent inputs on any machine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.conftest import GitRepository

FILES = {
    "app.py": "import os\n\n\ndef f(x):\n    return x\n",
    "ünï.sql": "SELECT 1;\n",
    "image.bin": b"\x00\x01\x02",
}
LATER = {
    "app.py": "import os\n\n\ndef f(x=[]):\n    return x\n",
    "ünï.sql": "SELECT 2;\n",
    "new.py": "x = 1\n",
}


@pytest.fixture
def changed(repo: GitRepository) -> GitRepository:
    """A repository with a commit before the change, and one with it."""
    repo.commit({"old.txt": "x\n"}, "first")
    repo.commit(FILES, "second")
    repo.commit(LATER, "third\n\nwith a body")
    return repo


def context_id(repo: GitRepository, *arguments: str, env: Mapping[str, str] | None = None) -> str:
    """The id of a context, by default that of the last commit."""
    report = repo.report(*(arguments or ("--base", "HEAD~1")), env=env)
    found: str = report["context"]["id"]
    return found


@pytest.mark.parametrize(
    "env",
    [
        {"TZ": "Pacific/Kiritimati"},
        {"LANG": "tr_TR.UTF-8", "LC_ALL": "C"},
        {"PYTHONHASHSEED": "7"},
        {"HOME": "/nonexistent"},
    ],
    ids=lambda env: next(iter(env)),
)
def test_the_environment_does_not_count(changed: GitRepository, env: Mapping[str, str]) -> None:
    assert context_id(changed, env=env) == context_id(changed)


def test_the_number_of_jobs_does_not_count(changed: GitRepository) -> None:
    ids = {context_id(changed, "--base", "HEAD~1", "--jobs", jobs) for jobs in ("1", "8")}
    assert ids == {context_id(changed)}


@pytest.mark.parametrize("depth", ["full", "2"])
def test_the_clone_does_not_count(changed: GitRepository, tmp_path: Path, depth: str) -> None:
    option = () if depth == "full" else ("--depth", depth)
    changed.git("clone", "-q", *option, f"file://{changed.root}", tmp_path / "else where")
    assert context_id(GitRepository(tmp_path / "else where")) == context_id(changed)


@pytest.mark.parametrize("setting", ["true", "input"])
def test_line_end_settings_do_not_count(changed: GitRepository, tmp_path: Path, setting: str) -> None:
    changed.git("clone", "-q", "-c", f"core.autocrlf={setting}", changed.root, tmp_path / "crlf")
    clone = GitRepository(tmp_path / "crlf")
    assert context_id(clone) == context_id(changed)
    ids = set()
    for item in (clone, changed):
        item.git("reset", "-q", "--soft", "HEAD~1")
        ids.add(context_id(item, "--staged"))
    assert len(ids) == 1


def test_the_work_tree_does_not_count_for_commits(changed: GitRepository) -> None:
    before = context_id(changed)
    changed.write("app.py", "changed\n")
    changed.write("untracked.py", "x\n")
    assert context_id(changed) == before


def test_content_of_files_that_nobody_reviews_counts(changed: GitRepository) -> None:
    ids = []
    for content in (b"\x00\x05", b"\x00\x06"):
        changed.write("image.bin", content)
        ids.append(context_id(changed, "--worktree"))
    assert ids[0] != ids[1]


def test_the_same_diff_on_another_base_is_another_context(changed: GitRepository) -> None:
    before = context_id(changed)
    changed.git("commit", "-q", "--amend", "--no-edit", "--date", "2001-01-01T00:00:00Z")
    assert context_id(changed) != before
