"""The history of a repository, from a clone or bare mirror; implements ``wardround.training_tasks.History``.

Commits are listed by id first and then compared with their parents in batches, so that a damaged object costs
one commit and never silently the rest: ``git log -p`` stops at the first blob that a mirror lacks. Renames
are detected here and not by git, whose rename detection reads blobs too.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from wardround.change.git_process import GitProcess
from wardround.change.repository_name import find_repository_name
from wardround.change.revisions import END, require_revision
from wardround.errors import GitError
from wardround.text.globs import matches
from wardround.training_tasks import Commit
from wardround_lab.corpora.git_objects import GitObjects
from wardround_lab.corpora.raw_diff_parser import COMPARE, parse_commits, path_text
from wardround_lab.corpora.rename_detection import pair_renames

LARGEST = 1_000_000
"""Bytes; larger files are generated or data, and their text is not returned."""
_BATCH = 400
"""Number of commits compared by one git process."""
_MESSAGE = "%H%x1f%P%x1f%ct%x1f%s%x1f%b"
"""git's format of a message: id, parents, time of the committer, subject and body."""
_BLAMED = re.compile(rb"^([0-9a-f]{40,64}) \d+ (\d+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class HistoryLimits:
    """The part of a history that is read.

    Attributes:
        head: the newest commit.
        since: seconds since 1970; older commits are excluded.
        until: seconds since 1970; this and younger commits are excluded.
        commits: how many of the newest commits are read, whether or not they change matching files; 0 for
            all.
        largest: bytes; larger files are not returned.
        exclude: glob patterns of files that are never returned.
    """

    head: str = "HEAD"
    since: int | None = None
    until: int | None = None
    commits: int = 0
    largest: int = LARGEST
    exclude: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.commits < 0 or self.largest < 1:
            raise ValueError(
                f"{self.commits} commits, {self.largest} bytes per file; limits must be positive"
            )

    def hold(self, time: int) -> bool:
        return (self.since is None or time >= self.since) and (self.until is None or time < self.until)


@dataclass(slots=True)
class ReadProblems:
    """Counts of unreadable objects.

    Attributes:
        cut: the list of commits is truncated, because a commit is missing.
        commits: commits that could not be compared with their parent.
        missing: reads of blobs that the clone lacks.
        large: reads of blobs that are too large.
        undecodable: reads of blobs that are not UTF-8 text.
    """

    cut: bool = False
    commits: int = 0
    missing: int = 0
    large: int = 0
    undecodable: int = 0

    def describe(self) -> str:
        """Describe the damage of the history itself; empty if there is none."""
        parts = [
            "its list of commits is truncated" if self.cut else "",
            f"{self.commits} commits cannot be compared" if self.commits else "",
            f"{self.missing} reads of missing files were skipped" if self.missing else "",
        ]
        return " and ".join(part for part in parts if part)


class RepositoryHistory:
    """The history of one repository. Use it as a context manager: it keeps git processes open.

    Attributes:
        folder: the clone or bare mirror.
        head: the id of its newest commit.
        trouble: the unreadable objects so far.
    """

    def __init__(
        self,
        folder: Path,
        name: str | None = None,
        limits: HistoryLimits | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        """Open a repository; ``name`` is its ``owner/name``, detected if it is empty.

        Raises:
            GitError: there is none, or it has no commit of that name.
        """
        self.folder = folder
        self.limits = limits or HistoryLimits()
        self.trouble = ReadProblems()
        self._git = GitProcess(folder, os.environ if environ is None else environ)
        self._git.env["GIT_NO_REPLACE_OBJECTS"] = "1"
        self.head = self._resolve(self.limits.head)
        self._name = name or find_repository_name(folder, self._origin())
        self._objects = GitObjects(self._git)
        self._listed: list[tuple[int, str]] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the git processes."""
        self._objects.close()

    @property
    def repository(self) -> str:
        return self._name

    def ids(self) -> Sequence[str]:
        """Return the ids of the commits within the limits, without merges, newest first."""
        return [commit for _, commit in self._rows()]

    def times(self) -> Sequence[int]:
        """Return the times of those commits, in the same order."""
        return [time for time, _ in self._rows()]

    def _rows(self) -> list[tuple[int, str]]:
        """Return the (time, id) of the commits within the limits, read once."""
        if self._listed is None:
            done = self._run("rev-list", "--no-merges", "--timestamp", END, self.head, "--")
            self.trouble.cut = done.returncode != 0
            rows = [line.split() for line in done.stdout.decode("ascii", "replace").splitlines()]
            held = [(int(row[0]), row[1]) for row in rows if len(row) == 2 and self.limits.hold(int(row[0]))]
            self._listed = held[: self.limits.commits or None]
        return self._listed

    def commits(self, patterns: Sequence[str]) -> Iterator[Commit]:
        for commit in self.every_commit():
            expected = [change for change in commit.changes if self._matches_patterns(change.path, patterns)]
            if expected:
                yield msgspec.structs.replace(commit, changes=pair_renames(expected, self.text))

    def messages(self) -> Iterator[Commit]:
        ids = self.ids()
        for start in range(0, len(ids), _BATCH):
            batch = "".join(f"{commit}\n" for commit in ids[start : start + _BATCH])
            done = self._run("log", "--no-walk=unsorted", "--stdin", "-z", f"--format={_MESSAGE}",
                             stdin=batch.encode())  # fmt: skip
            self.trouble.commits += done.returncode != 0
            for row in done.stdout.decode("utf-8", "replace").split("\0"):
                fields = row.split("\x1f", 4)
                if len(fields) == 5:
                    commit, parents, time, subject, body = fields
                    parent = parents.partition(" ")[0] or None
                    yield Commit(commit.strip(), parent, int(time), subject, body.strip(), ())

    def every_commit(self) -> Iterator[Commit]:
        """Yield all commits within the limits with all their changes; moved files are deleted and added
        ones.
        """
        ids = self.ids()
        for start in range(0, len(ids), _BATCH):
            yield from self._compare_batch(ids[start : start + _BATCH])

    def _compare_batch(self, ids: Sequence[str]) -> Iterator[Commit]:
        """Compare the commits of a batch; git stops at a damaged one, and is restarted after it."""
        while ids:
            done = self._run(*COMPARE, stdin="".join(f"{commit}\n" for commit in ids).encode())
            last = None
            for commit in parse_commits(done.stdout):
                last = commit.id
                yield commit
            if done.returncode == 0:
                return
            self.trouble.commits += 1
            ids = ids[1 if last is None else ids.index(last) + 2 :]

    def tree(self, commit: str, patterns: Sequence[str]) -> Iterator[tuple[str, str]]:
        done = self._run("ls-tree", "-r", "-z", "--full-tree", END, commit)
        self.trouble.commits += done.returncode != 0
        for row in done.stdout.split(b"\0"):
            fields, _, path = row.partition(b"\t")
            name = path_text(path)
            if fields.startswith(b"100") and self._matches_patterns(name, patterns):
                yield name, fields.split()[2].decode()

    def _matches_patterns(self, path: str, patterns: Sequence[str]) -> bool:
        return matches(path, patterns) and not matches(path, self.limits.exclude)

    def text(self, blob: str | None) -> str | None:
        content = self.content(blob)
        if content is None:
            return None
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            self.trouble.undecodable += 1
            return None
        return None if "\0" in text else text.removeprefix("\ufeff")

    def content(self, blob: str | None) -> bytes | None:
        """Return the bytes of a blob; None if it does not exist, is missing, or is too large."""
        if blob is None:
            return None
        size = self._objects.size(blob)
        if size is not None and size <= self.limits.largest:
            return self._objects.content(blob)
        self.trouble.missing += size is None
        self.trouble.large += size is not None
        return None

    def blame(self, commit: str, path: str, lines: Sequence[int]) -> list[tuple[int, str]]:
        """Return, for lines of a file (1-based), the commit that last changed each.

        Changes of white space do not count. Empty if git cannot tell.
        """
        ranges = [f"-L{line},{line}" for line in lines]
        done = self._run("blame", "-w", "--porcelain", *ranges, commit, "--", path)
        found = _BLAMED.findall(done.stdout) if done.returncode == 0 else []
        return [(int(line), name.decode()) for name, line in found]

    def _resolve(self, name: str) -> str:
        done = self._run("rev-parse", "--verify", "--quiet", END, f"{require_revision(name)}^{{commit}}")
        if done.returncode == 0:
            return done.stdout.decode().strip()
        self._git.output("rev-parse", "--git-dir")  # complains where there is no repository
        raise GitError(f"{name!r} is not a commit in {self.folder}; choose an existing branch, tag or commit")

    def _origin(self) -> str:
        done = self._run("config", "--get", "remote.origin.url")
        return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else ""

    def _run(self, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        try:
            return subprocess.run(
                self._git.argv(*arguments),
                capture_output=True,
                input=stdin,
                env=self._git.env,
                cwd=self._git.folder,
                check=False,
                start_new_session=True,
            )
        except FileNotFoundError as cause:
            raise GitError("git is not on PATH; install git, or add it to PATH") from cause
