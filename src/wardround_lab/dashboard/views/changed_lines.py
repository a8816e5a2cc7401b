"""The changed lines of a run: those that no test ran with their code, where the repository has it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from wardround.change.repository import INDEX, Repository
from wardround.change.trees import Tree
from wardround.context.run_evidence import LineEvidence
from wardround.errors import WardroundError
from wardround_lab.dashboard.views.recorded_run import RecordedRun, utc_time

MOST = 400
"""Lines with code on one page."""
_LONGEST = 300
_STAGED = frozenset({"index", INDEX})


class CodeLine(msgspec.Struct, frozen=True):
    """A changed line that no test ran, or with a branch that was not taken.

    Attributes:
        code: None if the content of the file is not known.
    """

    number: int
    is_partial: bool
    code: str | None


class ChangedFile(msgspec.Struct, frozen=True):
    """The executable changed lines of a file."""

    path: str
    covered: int
    total: int
    lines: tuple[CodeLine, ...]


class ChangedLines(msgspec.Struct, frozen=True):
    """The changed lines of a run by file, those with the most lines that did not run first.

    Attributes:
        note: the reason for missing code, as one sentence; empty if there is code.
        left: the number of lines that are not shown.
    """

    files: tuple[ChangedFile, ...]
    note: str
    left: int


def changed_lines(run: RecordedRun, root: Path) -> ChangedLines:
    """Return the changed lines of a run.

    Args:
        root: a folder of the repository that probably has the tested commit.
    """
    evidence = run.evidence.tests.lines if run.evidence.tests is not None else ()
    order = sorted(evidence, key=lambda lines: (-len(lines.uncovered), lines.path))
    if not any(lines.uncovered or lines.partial for lines in evidence):
        return _page_of([_file(lines, None) for lines in order], "")
    try:
        with Repository(root) as repository:
            note = _missing_code(run, repository)
            tree = None if note else repository.tree(_side(run))
            return _page_of([_file(lines, tree) for lines in order], note)
    except WardroundError as cause:
        return _page_of([_file(lines, None) for lines in order], f"The code is not shown: {cause}.")


def _page_of(files: Sequence[ChangedFile], note: str) -> ChangedLines:
    """Leave out the lines that a page does not show."""
    room, found = MOST, []
    for file in files:
        found.append(msgspec.structs.replace(file, lines=file.lines[:room]))
        room -= len(found[-1].lines)
    left = sum(len(file.lines) for file in files) - (MOST - room)
    return ChangedLines(tuple(found), note, left)


def _side(run: RecordedRun) -> str:
    return INDEX if run.head in _STAGED else run.head


def _missing_code(run: RecordedRun, repository: Repository) -> str:
    """Return why the code of the tested side is not known; empty if it is."""
    if run.head in _STAGED:
        is_older = run.created < _time_of_index(repository)
        return "The code is not shown: the index was changed after this run." if is_older else ""
    if not repository.has(run.head):
        return f"The code is not shown: {repository.root} does not have {run.head or 'the tested commit'}."
    return ""


def _time_of_index(repository: Repository) -> str:
    try:
        return utc_time(repository.index_file.stat().st_mtime)
    except OSError:
        return ""


def _file(lines: LineEvidence, tree: Tree | None) -> ChangedFile:
    total = len(lines.covered) + len(lines.uncovered)
    return ChangedFile(lines.path, len(lines.covered), total, tuple(_code_lines(lines, tree)))


def _code_lines(lines: LineEvidence, tree: Tree | None) -> Iterator[CodeLine]:
    uncovered = set(lines.uncovered)
    numbers = sorted(uncovered | set(lines.partial))
    content = tree.read(lines.path) if tree is not None and numbers else None
    code = content.decode("utf-8", "replace").split("\n") if content is not None else []
    for number in numbers:
        shown = code[number - 1][:_LONGEST].rstrip("\r") if 0 < number <= len(code) else None
        yield CodeLine(number, number not in uncovered, shown)
