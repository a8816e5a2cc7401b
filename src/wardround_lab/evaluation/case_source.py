"""Source of the change of a case: a repository that contains the files of the case only."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from wardround.change.change_source import GitChangeSource, JudgeName, SideName
from wardround.change.diff import Change, ChangedFile
from wardround.change.grep import contains_word
from wardround.text.globs import matches_whole
from wardround_lab.evaluation.case_builder import CaseChange

NOWHERE = Path("/nonexistent/wardround-case")
"""Path instead of the work tree, which a case does not have."""


class CaseChangeSource:
    """Serves the content of a case from memory."""

    def __init__(self, case: CaseChange, messages: Sequence[str] = ()) -> None:
        self.root = NOWHERE
        self.change = case.change
        self._messages = tuple(messages)
        self._sides: dict[str, tuple[bytes | None, bytes | None]] = {}
        self._trees: dict[SideName, dict[str, bytes]] = {"base": {}, "head": {}}
        for path, text in case.neighbours.items():
            self._trees["base"][path] = self._trees["head"][path] = _encode(text)
        for known in case.files:
            base, head = (None if t is None else _encode(t) for t in (known.base, known.head))
            self._sides[known.file.path] = base, head
            if base is not None and known.file.base_path is not None:
                self._trees["base"][known.file.base_path] = base
            if head is not None:
                self._trees["head"][known.file.path] = head

    @property
    def in_repository(self) -> GitChangeSource | None:
        """None: the trees of a case are not known."""
        return None

    def fetch(self, files: Sequence[ChangedFile], *, base: bool = False) -> None:
        pass  # all of it is in memory

    def content(self, file: ChangedFile, *, base: bool = False) -> bytes | None:
        base_content, head_content = self._sides.get(file.path, (None, None))
        return base_content if base else head_content

    def read(self, path: str, side: SideName | JudgeName) -> bytes | None:
        return self._trees["base" if side == "target" else side].get(path)

    def moved_settings(self, names: Collection[str]) -> Sequence[str]:
        return ()

    def tree(self, side: SideName) -> dict[str, bytes]:
        """Return every file at base or head."""
        return self._trees[side]

    def state(self, change: Change, side: SideName) -> str | None:
        return None

    def differing(self, side: SideName) -> Collection[str]:
        return ()

    def files_with_word(self, words: Sequence[str], patterns: Sequence[str]) -> Sequence[str]:
        if not words:
            return []
        return sorted(
            path
            for path, content in self._trees["head"].items()
            if (matches_whole(path.rpartition("/")[2], patterns) or matches_whole(path, patterns))
            and contains_word(content, words)
        )

    def tracked_paths(self, patterns: Sequence[str] = ()) -> Collection[str]:
        return set(self._trees["head"])

    def messages(self, change: Change) -> Sequence[str]:
        return self._messages

    def has_tracked(self, path: str) -> bool:
        return False

    def files_in(self, folder: str, side: SideName | JudgeName) -> Sequence[str]:
        tree = self._trees["base" if side == "target" else side]
        return sorted(path for path in tree if path.startswith(f"{folder}/"))


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "replace")
