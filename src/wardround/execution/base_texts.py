"""The contents of changed files before the change, fetched together when the first is read."""

from __future__ import annotations

from collections.abc import Sequence

from wardround.change.change_source import ChangeSource, FileTexts
from wardround.change.diff import Change, ChangedFile


class BaseTexts:
    """The old texts by the paths at the head.

    Args:
        files: whose old contents are fetched at once.
    """

    def __init__(self, source: ChangeSource, change: Change, files: Sequence[ChangedFile]) -> None:
        self._source = source
        self._texts = FileTexts(source, change)
        self._unfetched = files

    def text(self, path: str) -> str | None:
        """Return the text before the change; None for an added file."""
        if self._unfetched:
            self._source.fetch(self._unfetched, base=True)
            self._unfetched = ()
        return self._texts.base(path)
