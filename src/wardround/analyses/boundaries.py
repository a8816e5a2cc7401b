"""The places on a trust boundary that a change touches."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wardround.analyses.analysis import Analysis, ReportLine, note_values
from wardround.analyses.note_texts import kind_counts, shorten_names
from wardround.change.diff import Change, ChangedFile, FileStatus
from wardround.change.encoding import escape_undecodable
from wardround.context.document import ContextDocument
from wardround.findings import Plane
from wardround.semantics.boundary_notes import Boundary, BoundaryNote
from wardround.semantics.trust_boundaries import ChangedLines, is_inspected, trust_boundaries

if TYPE_CHECKING:
    from wardround.analyses.change_view import ChangeView

BoundaryNotes = tuple[BoundaryNote, ...]
Reader = Callable[[ChangedFile, bool], str | None]
"""File, True for the base -> the content; None if there is none."""
_MOST_CHARACTERS = 1_000_000


class TrustBoundaries(Analysis[BoundaryNotes]):
    """The changed positions at which a program handles untrusted data; policies may require human review of
    them.
    """

    name = "boundaries"
    plane = Plane.SECURITY
    notes_type = BoundaryNotes

    def analyse(self, view: ChangeView) -> BoundaryNotes:
        return boundaries_of(view.change, view.read, view.test_paths)

    def sample(self) -> BoundaryNotes:
        return (BoundaryNote("src/app.py", 1, 1, Boundary.ROUTE, "@app.post()"),)

    def variables(self, notes: BoundaryNotes, context: ContextDocument) -> Mapping[str, Any]:
        return {"boundaries": [note_values(note) for note in notes]}

    def lines(self, notes: BoundaryNotes, context: ContextDocument) -> Iterator[ReportLine]:
        if notes:
            locations = [f"{note.kind} {note.file}:{note.line}" for note in notes]
            yield ReportLine(shorten_names(locations), "trust boundary: ")

    def derivation(self, notes: BoundaryNotes) -> Iterator[str]:
        yield from kind_counts("trust boundaries", [note.kind.value for note in notes])


def boundaries_of(change: Change, read: Reader, tests: Collection[str]) -> BoundaryNotes:
    """Return the changed places on a trust boundary.

    Args:
        tests: the paths of test files, which have none.
    """
    inspected = [file for file in change.files if _is_source(file) and file.path not in tests]
    changed = (_changed_lines(file, read) for file in inspected)
    return trust_boundaries([lines for lines in changed if lines is not None])


def _is_source(file: ChangedFile) -> bool:
    if not file.is_regular or file.fragment or file.status is FileStatus.DELETED:
        return False
    return is_inspected(file.path)


def _changed_lines(file: ChangedFile, read: Reader) -> ChangedLines | None:
    """Return the changed lines of a file; None for a file without a text of a usual size."""
    text = _readable_text(file, read, is_base=False)
    if text is None:
        return None
    count = text.count("\n") + 1
    removed = dict(_removed_lines(file, read))
    changed = {*file.added_line_numbers(count), *removed}
    numbers = sorted(number for number in changed if number <= count)
    return ChangedLines(escape_undecodable(file.path), text, numbers, removed)


def _removed_lines(file: ChangedFile, read: Reader) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield the line of the head after each removal, with the removed lines."""
    removals = [hunk for hunk in file.hunks if hunk.base_length]
    if file.base_path is None or not removals:
        return
    text = _readable_text(file, read, is_base=True)
    lines = [] if text is None else text.split("\n")
    for hunk in removals if lines else ():
        following = hunk.head_start if hunk.head_length else hunk.head_start + 1
        first = hunk.base_start - 1
        yield following, lines[first : first + hunk.base_length]


def _readable_text(file: ChangedFile, read: Reader, *, is_base: bool) -> str | None:
    """Return the text at base or head; None if it is missing, or too long to be hand-written."""
    text = read(file, is_base)
    return None if text is None or len(text) > _MOST_CHARACTERS else text
