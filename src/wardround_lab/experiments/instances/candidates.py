"""The commits of a history that can become instances, by their message and their files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from wardround.lazy import LazyPattern
from wardround.retrieval.test_discovery import contains_tests
from wardround.training_tasks import Changed, Commit
from wardround_lab.corpora.commit_classes import mentions_fix
from wardround_lab.corpora.git_history import RepositoryHistory
from wardround_lab.corpora.hunks import hunks
from wardround_lab.experiments.instances.answer_files import is_answer_file, is_test_file
from wardround_lab.experiments.instances.task_text import AnswerCode, states_a_task, task_text

MOST_FILES = 2
MOST_LINES = 10
"""The default limits of an answer."""
_PYTHON = ".py"
_ISSUE = LazyPattern(r"#\d")


class CandidateLimits(msgspec.Struct, frozen=True):
    """The size of an answer.

    Attributes:
        files: the most source files that it changes.
        lines: the most lines that it changes; a hunk counts with its longer side.
    """

    files: int = MOST_FILES
    lines: int = MOST_LINES


class Candidate(msgspec.Struct, frozen=True):
    """A commit that may become an instance.

    Attributes:
        sources: the paths of the answer.
        tests: the paths of the files that judge it, fixtures included.
        test_modules: those of them that have tests.
        lines: changed lines of the answer.
        text: the task.
        added_names: the identifiers that the answer adds.
    """

    commit: Commit
    sources: tuple[str, ...]
    tests: tuple[str, ...]
    test_modules: tuple[str, ...]
    lines: int
    text: str
    added_names: frozenset[str]


class CandidateFilter:
    """Finds the candidates of a history, newest first.

    Attributes:
        excluded: the number of commits by the reason to exclude them.
    """

    def __init__(self, history: RepositoryHistory, limits: CandidateLimits) -> None:
        self._history = history
        self._limits = limits
        self.excluded: Counter[str] = Counter()

    def candidates(self) -> Iterator[Candidate]:
        """Yield the candidates and count the other commits."""
        for commit in self._history.every_commit():
            reason = self._objection(commit)
            found = None if reason else self._candidate(commit)
            if isinstance(found, Candidate):
                yield found
            else:
                self.excluded[reason or found or ""] += 1

    def _objection(self, commit: Commit) -> str:
        """Return the reason to exclude a commit without reading its files; empty if there is none."""
        if commit.parent is None or not _is_about_a_fault(commit.subject):
            return "it mentions no fix"
        if not any(map(_is_test_module, commit.changes)):
            return "it changes no test of Python"
        sources = _sources(commit)
        if not _are_python(sources):
            return "it changes no source of Python, or other files too"
        if not all(map(_is_edit, sources)):
            return "it adds or removes a source file"
        return "it changes too many files" if len(sources) > self._limits.files else ""

    def _candidate(self, commit: Commit) -> Candidate | str:
        """Return the candidate of a commit, or the reason to exclude it."""
        sources = _sources(commit)
        edits = self._edits(sources)
        if edits is None:
            return "a source file cannot be read"
        lines = sum(edit.lines for edit in edits)
        if lines > self._limits.lines:
            return "it changes too many lines"
        code = _code_of(edits)
        text = task_text(code.removed_from(f"{commit.subject}\n\n{commit.body}"))
        if not states_a_task(commit.subject, text):
            return "its message states no task"
        return Candidate(
            commit=commit,
            sources=_paths(sources),
            tests=_paths(filter(_is_test, commit.changes)),
            test_modules=_paths(filter(_is_test_module, commit.changes)),
            lines=lines,
            text=text,
            added_names=code.names,
        )

    def _edits(self, sources: Sequence[Changed]) -> list[_Edit] | None:
        """Return the edits of files; None if one cannot be read."""
        found = []
        for change in sources:
            before, after = self._history.text(change.base_blob), self._history.text(change.blob)
            if before is None or after is None:
                return None
            found.append(_edit(before, after))
        return found


class _Edit(msgspec.Struct, frozen=True):
    """The edit of one file.

    Attributes:
        added: the added lines.
        lines: the number of changed lines.
    """

    before: str
    added: tuple[str, ...]
    lines: int


def _edit(before: str, after: str) -> _Edit:
    changed = hunks(before, after)
    added = tuple(line for hunk in changed for line in hunk.added)
    return _Edit(before, added, sum(max(len(hunk.removed), len(hunk.added)) for hunk in changed))


def _code_of(edits: Sequence[_Edit]) -> AnswerCode:
    return AnswerCode((edit.before for edit in edits), (line for edit in edits for line in edit.added))


def _paths(changes: Iterable[Changed]) -> tuple[str, ...]:
    return tuple(change.path for change in changes)


def _is_about_a_fault(subject: str) -> bool:
    """Return True if a subject has a word of fixes, or the number of an issue."""
    return mentions_fix(subject) or _ISSUE.search(subject) is not None


def _are_python(sources: Sequence[Changed]) -> bool:
    return bool(sources) and all(change.path.endswith(_PYTHON) for change in sources)


def _is_edit(change: Changed) -> bool:
    return bool(change.blob and change.base_blob)


def _sources(commit: Commit) -> Sequence[Changed]:
    return [change for change in commit.changes if is_answer_file(change.path)]


def _is_test(change: Changed) -> bool:
    return is_test_file(change.path)


def _is_test_module(change: Changed) -> bool:
    return bool(change.blob) and change.path.endswith(_PYTHON) and contains_tests(change.path)
