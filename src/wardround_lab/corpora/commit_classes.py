"""Classes of commits: fixes, commits that introduced the fixed bugs, and clean ones.

A subject that mentions a fix is a noisy label, and so is blame: a line that a fix removes need not be the
defect. Read fifty before you quote a figure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from wardround.text.globs import matches
from wardround.training_tasks import Commit
from wardround_lab.corpora.git_history import RepositoryHistory
from wardround_lab.corpora.hunks import hunks
from wardround_lab.corpora.quality_filters import is_generated, is_vendored
from wardround_lab.corpora.records import Mined, RecordedFile

KINDS = ("commits", "bug-fix", "inducing", "clean")
CODE = (
    "*.py", "*.pyi", "*.ts", "*.tsx", "*.js", "*.jsx", "*.mjs", "*.cjs", "*.vue", "*.svelte", "*.sql", "*.sh",
    "Dockerfile", "Dockerfile.*", "*.dockerfile", "Jenkinsfile", "docker-compose*.yml",
    "docker-compose*.yaml", ".github/workflows/*.yml", ".github/workflows/*.yaml", ".gitlab-ci.yml",
)  # fmt: skip
TESTS = (
    "test_*.py", "*_test.py", "conftest.py", "*.test.*", "*.spec.*", "tests/*", "*/tests/*", "test/*",
    "*/test/*", "*/__tests__/*", "e2e/*", "*/e2e/*",
)  # fmt: skip
_FIX = re.compile(
    r"\b(?:fix(?:e[sd]|ing)?|bug(?:fix)?|hotfix|regression|crash(?:e[sd])?|incorrect(?:ly)?|wrong(?:ly)?)\b",
    re.I,
)
_NO_FIX = re.compile(
    r"\b(?:typos?|docs?|docstrings?|documentation|lint(?:er|ing)?|flake8|format(?:ting)?|style|spelling|ci|changelog"
    r"|readme|pep8|examples?|versions?|comments?|annotations?|typing|types?|mypy|tests?|warnings?|build|release|bump|merge|revert|grammar|links?)\b",
    re.I,
)
_REVERTED = re.compile(r"^This reverts commit ([0-9a-f]{40})", re.MULTILINE)
_FILES_AT_MOST = 12
_FIXED_FILES_AT_MOST = 3
_LINES_AT_MOST = 400
_FIXED_LINES_AT_MOST = 60
_RANGES_AT_MOST = 40
_SETTLED = 180 * 24 * 3600
"""Minimum age of a commit, in seconds, before its lines count as never fixed."""
_TELLS_NOTHING = re.compile(r"\s*(?:#|//|/\*|\*|--|import\b|from\s+\S+\s+import\b|[)\]}>,;]*\s*$)")

Progress = Callable[[int, int], None]


class CommitClassifier:
    """The commits of one repository by class; shared steps are computed once.

    Args:
        progress: called with the amount done and the total of the longest step.
    """

    def __init__(self, history: RepositoryHistory, progress: Progress) -> None:
        self._history = history
        self._progress = progress
        self._last: tuple[str, tuple[RecordedFile, ...]] = ("", ())

    def mine_commits(self, kind: str) -> Iterator[Mined]:
        """Yield the commits of a class, newest first."""
        if kind == "bug-fix":
            return (self._mined_commit(commit, kind) for commit in self._watch(self._fixes))
        if kind == "inducing":
            return self._inducing_commits()
        if kind == "clean":
            return self._clean()
        return (
            self._mined_commit(commit, kind)
            for commit in self._watch(self._described_commits)
            if self._is_read(commit)
        )

    def fixes(self) -> Iterator[Commit]:
        """Yield small fixes of non-test code, newest first."""
        return self._watch(self._fixes)

    def all(self) -> Iterator[Commit]:
        """Yield commits that touch hand-written code and are not sweeps, newest first."""
        return self._watch(self._described_commits)

    def _watch(self, commits: Sequence[Commit]) -> Iterator[Commit]:
        for number, commit in enumerate(commits):
            self._progress(number, len(commits))
            yield commit

    @cached_property
    def _described_commits(self) -> list[Commit]:
        """Commits that touch hand-written code and are not sweeps."""
        return [
            commit
            for commit in self._history.commits(CODE)
            if len(commit.changes) <= _FILES_AT_MOST
            and not any(is_vendored(change.path) or is_generated(change.path) for change in commit.changes)
        ]

    @cached_property
    def _fixes(self) -> list[Commit]:
        """Small fixes of non-test code."""
        return [
            commit
            for commit in self._watch(self._described_commits)
            if is_fix(commit.subject)
            and 0 < len(_sources(commit)) <= _FIXED_FILES_AT_MOST
            and 0 < self._lines(commit) <= _FIXED_LINES_AT_MOST
        ]

    @cached_property
    def _blamed_lines(self) -> dict[str, dict[str, list[str]]]:
        """Commit -> fix -> the lines that it added and the fix removed, as ``path:text``.

        Source: Sliwerski, Zimmermann, Zeller 2005, "When do changes induce fixes?"; white space, comments and
        imports are excluded, as in later work.
        """
        found: dict[str, dict[str, list[str]]] = {}
        for fix in self._watch(self._fixes):
            for file in self._files(fix):
                if fix.parent is None or file.base_path is None or matches(file.path, TESTS):
                    continue
                used = {
                    hunk.base_line + at: text
                    for hunk in file.hunks
                    for at, text in enumerate(hunk.removed)
                    if not _TELLS_NOTHING.match(text)
                }
                if 0 < len(used) <= _RANGES_AT_MOST:
                    for line, commit in self._history.blame(fix.parent, file.base_path, sorted(used)):
                        reported = f"{file.base_path}:{used[line].strip()}"
                        found.setdefault(commit, {}).setdefault(fix.id, []).append(reported)
        return found

    def _inducing_commits(self) -> Iterator[Mined]:
        for commit in self._described_commits:
            if fixes := self._blamed_lines.get(commit.id):
                lines = [line for fix in sorted(fixes) for line in fixes[fix]]
                yield self._mined_commit(
                    commit, "inducing", tuple(sorted(fixes)), tuple(dict.fromkeys(lines))
                )

    def _clean(self) -> Iterator[Mined]:
        """Yield old enough commits that changed code, are not fixes, and were neither fixed nor reverted."""
        if not self._described_commits:
            return
        newest = self._described_commits[0].time
        reverted = {match for commit in self._described_commits for match in _REVERTED.findall(commit.body)}
        for commit in self._watch(self._described_commits):
            settled = commit.time <= newest - _SETTLED and commit.id not in reverted
            praised = settled and not is_fix(commit.subject) and commit.id not in self._blamed_lines
            if praised and _sources(commit) and self._is_read(commit):
                yield self._mined_commit(commit, "clean")

    def _is_read(self, commit: Commit) -> bool:
        return 0 < self._lines(commit) <= _LINES_AT_MOST

    def _lines(self, commit: Commit) -> int:
        """Return the changed lines of a commit; for a hunk, those of its longer version."""
        return sum(
            max(len(hunk.removed), len(hunk.added)) for file in self._files(commit) for hunk in file.hunks
        )

    def _mined_commit(
        self, commit: Commit, kind: str, related: tuple[str, ...] = (), blamed: tuple[str, ...] = ()
    ) -> Mined:
        return Mined(
            kind, self._history.repository, commit.id, commit.time, commit.subject, commit.body,
            self._files(commit), related, blamed,
        )  # fmt: skip

    def _files(self, commit: Commit) -> tuple[RecordedFile, ...]:
        """Return the readable changed files of a commit; the last result is cached."""
        if self._last[0] != commit.id:
            self._last = (commit.id, tuple(self._changed_files(commit)))
        return self._last[1]

    def _changed_files(self, commit: Commit) -> Iterator[RecordedFile]:
        for change in commit.changes:
            old, new = self._history.text(change.base_blob), self._history.text(change.blob)
            known = old is not None or change.base_blob is None
            if new is not None and known and (found := hunks(old or "", new)):
                yield RecordedFile(change.path, change.base_path, found)


def is_fix(subject: str) -> bool:
    """Return True if a subject mentions a fixed bug."""
    return mentions_fix(subject) and not _NO_FIX.search(subject)


def mentions_fix(subject: str) -> bool:
    """Return True if a subject has a word of fixes."""
    return bool(_FIX.search(subject))


def _sources(commit: Commit) -> Sequence[str]:
    return [change.path for change in commit.changes if not matches(change.path, TESTS)]
