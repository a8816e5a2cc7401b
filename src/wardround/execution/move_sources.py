"""The files that code of a change was moved from: their old versions are compared with the new places."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from wardround.assignment.readability import MAX_SOURCE_BYTES
from wardround.change.change_source import ChangeSource, decode_any_encoding
from wardround.change.diff import Change, ChangedFile, FileStatus

_SHORTEST = 8
"""The length of a line, without white space around it, from which on it identifies moved code."""


class MoveSources:
    """Finds changed files by the lines that the change removes from them."""

    def __init__(self, source: ChangeSource, change: Change) -> None:
        self._source = source
        self._files = change.files
        self._removed: dict[str, frozenset[str]] = {}

    def of(self, file: ChangedFile, numbers: Collection[int]) -> list[ChangedFile]:
        """Return the other files from which the change removes a line that it adds to this one.

        Args:
            numbers: the added lines of the head that matter.
        """
        added = self._added_lines(file, numbers)
        if not added:
            return []
        return [
            other
            for other in self._files
            if other.path != file.path
            and other.base_path is not None
            and not added.isdisjoint(self._lines(other))
        ]

    def _added_lines(self, file: ChangedFile, numbers: Collection[int]) -> set[str]:
        lines = _lines(self._source.content(file))
        texts = (lines[n - 1].strip() for n in numbers if file.is_added_line(n) and n <= len(lines))
        return {text for text in texts if len(text) >= _SHORTEST}

    def _lines(self, file: ChangedFile) -> frozenset[str]:
        if file.path not in self._removed:
            self._removed[file.path] = frozenset(self._removed_lines(file))
        return self._removed[file.path]

    def _removed_lines(self, file: ChangedFile) -> Iterator[str]:
        is_deleted = file.status is FileStatus.DELETED
        if file.fragment or not (is_deleted or any(hunk.base_length for hunk in file.hunks)):
            return
        lines = _lines(self._source.content(file, base=True))
        yield from (lines[number - 1].strip() for number in file.removed_line_numbers(len(lines)))


def _lines(content: bytes | None) -> list[str]:
    if content is None or len(content) > MAX_SOURCE_BYTES:
        return []
    return (decode_any_encoding(content) or "").split("\n")
