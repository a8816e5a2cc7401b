"""The trust boundaries that a change touches, from its source."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from wardround.change.diff import Change, ChangedFile, FileStatus
from wardround.change.encoding import escape_undecodable
from wardround.semantics.boundary_notes import BoundaryNote
from wardround.semantics.trust_boundaries import ChangedLines, is_inspected, trust_boundaries

_MOST_CHARACTERS = 1_000_000


def boundaries_of(
    change: Change, read: Callable[[ChangedFile, bool], str | None], tests: Collection[str]
) -> tuple[BoundaryNote, ...]:
    """Return the changed places on a trust boundary.

    Args:
        read: file, True for the base -> the text; None if there is none.
        tests: the paths of test files, which have none.
    """
    files = [
        file for file in change.files if file.is_regular and not file.fragment and file.path not in tests
    ]
    return trust_boundaries(list(_changed(files, read)))


def _changed(
    files: Collection[ChangedFile], read: Callable[[ChangedFile, bool], str | None]
) -> Iterator[ChangedLines]:
    for file in files:
        if file.status is FileStatus.DELETED or not is_inspected(file.path):
            continue
        text = read(file, False)
        if text is None or len(text) > _MOST_CHARACTERS:
            continue
        count = text.count("\n") + 1
        added = set(file.added_line_numbers(count))
        removed = dict(_removed(file, read))
        numbers = sorted(number for number in {*added, *removed} if number <= count)
        yield ChangedLines(escape_undecodable(file.path), text, numbers, removed)


def _removed(
    file: ChangedFile, read: Callable[[ChangedFile, bool], str | None]
) -> Iterator[tuple[int, list[str]]]:
    """Return the line of the head after each removal, with the removed lines."""
    text = read(file, True) if file.base_path is not None and any(h.base_length for h in file.hunks) else None
    if text is None or len(text) > _MOST_CHARACTERS:
        return
    lines = text.split("\n")
    for hunk in file.hunks:
        if hunk.base_length:
            head = hunk.head_start if hunk.head_length else hunk.head_start + 1
            yield head, lines[hunk.base_start - 1 : hunk.base_start - 1 + hunk.base_length]
