"""The repository at base or head, as checks read it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from wardround.change.change_source import ChangeSource, JudgeName, SideName, decode_text
from wardround.text.globs import matches_whole


class SideView(msgspec.Struct, frozen=True):
    """The base or head of a change source, read as text; implements
    ``change.repository_view.RepositoryView``.
    """

    origin: ChangeSource
    side: SideName | JudgeName

    def read(self, path: str) -> str | None:
        content = self.origin.read(path, self.side)
        return None if content is None else decode_text(content)

    def files_with_word(self, words: Sequence[str], patterns: Sequence[str]) -> Sequence[str]:
        return self.origin.files_with_word(words, patterns)

    def paths(self, patterns: Sequence[str]) -> Sequence[str]:
        tracked = sorted(self.origin.tracked_paths(patterns))
        return [path for path in tracked if matches_whole(path, patterns)]
