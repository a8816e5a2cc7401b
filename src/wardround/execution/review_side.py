"""Base and head of a change as tools and checks read them."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from wardround.assignment.work_units import content_digest
from wardround.change.change_source import ChangeSource, SideName
from wardround.change.diff import Change
from wardround.change.repository_view import RepositoryView
from wardround.change.side_view import SideView
from wardround.change.snapshot import Snapshot
from wardround.execution.base_texts import BaseTexts
from wardround.execution.model import ModelProvider
from wardround.execution.trust import Trust


class ProjectFiles(Protocol):
    """The rest of the project at base or head, which tools see next to the files under review."""

    def link(self, side: ReviewSide, snapshot: Snapshot, room: str, patterns: tuple[str, ...]) -> None:
        """Complete a room of a snapshot with the files of these names."""


class ReviewSide(ABC):
    """The base or head of the change.

    Attributes:
        name: ``head`` or ``base``; ``unwaived-`` and one of them where copies of files are reviewed.
        state: identifies the entire project in this version; None if nothing does.
        layout: the names in the folders where tools look for first-party modules.
        project: the other files, as checks read them.
        models: None in a review without models.
        changed: the changed paths in this version.
    """

    name: str
    state: str | None = None
    layout: str = ""
    project: RepositoryView
    models: ModelProvider | None = None
    changed: frozenset[str] = frozenset()

    @abstractmethod
    def read(self, path: str) -> bytes | None:
        """Return the content of a file under review."""

    @abstractmethod
    def has_tracked(self, path: str) -> bool:
        """Return True if anything at a path, above it or below it is under version control at base or
        head.
        """

    @abstractmethod
    def link_project(self, snapshot: Snapshot, room: str, patterns: tuple[str, ...]) -> None:
        """Complete a room of a snapshot with the rest of the project, for files of these names."""

    @property
    def is_base(self) -> bool:
        """is_base: True for the base, or copies of its files."""
        return self.name.endswith("base")

    def base_text(self, path: str) -> str | None:
        """Return the content of a file before the change; None at the base."""
        return None

    def is_added(self, path: str, line: int) -> bool:
        """Return True if the change adds a line; at the base every line counts as added."""
        return True

    def added_lines(self, path: str, count: int) -> Iterable[int]:
        """Return the added lines of a path that has that many, in order; at the base all."""
        return range(1, count + 1)


class _ChangeSide(ReviewSide):
    """The part that base and head of a change share."""

    def __init__(
        self,
        side: SideName,
        source: ChangeSource,
        change: Change,
        trust: Trust,
        files: ProjectFiles,
        models: ModelProvider | None,
        copies: Mapping[str, bytes],
    ) -> None:
        self.name = f"unwaived-{side}" if copies else side
        self.state = _state(side, source, change, trust, copies)
        self.layout = _layout_key(source.root)
        self.project = SideView(source, side)
        self.models = None if copies else models
        self._source = source
        self._files = files
        self._copies = copies

    def has_tracked(self, path: str) -> bool:
        return self._source.has_tracked(path)

    def link_project(self, snapshot: Snapshot, room: str, patterns: tuple[str, ...]) -> None:
        self._files.link(self, snapshot, room, patterns)


class HeadSide(_ChangeSide):
    """The project after the change.

    Args:
        copies: content that is reviewed instead of some files; it makes them a separate version, without
            models.
    """

    def __init__(
        self,
        source: ChangeSource,
        change: Change,
        trust: Trust,
        files: ProjectFiles,
        base_texts: BaseTexts,
        models: ModelProvider | None = None,
        copies: Mapping[str, bytes] | None = None,
    ) -> None:
        super().__init__("head", source, change, trust, files, models, copies or {})
        self._by_path = {file.path: file for file in change.files}
        self._base_texts = base_texts
        self.changed = frozenset(self._by_path)

    def read(self, path: str) -> bytes | None:
        if path in self._copies:
            return self._copies[path]
        return self._source.content(self._by_path[path]) if path in self._by_path else None

    def base_text(self, path: str) -> str | None:
        return self._base_texts.text(path)

    def is_added(self, path: str, line: int) -> bool:
        return self._by_path[path].is_added_line(line)

    def added_lines(self, path: str, count: int) -> Iterable[int]:
        return self._by_path[path].added_line_numbers(count)


class BaseSide(_ChangeSide):
    """The project before the change; see ``HeadSide``."""

    def __init__(
        self,
        source: ChangeSource,
        change: Change,
        trust: Trust,
        files: ProjectFiles,
        models: ModelProvider | None = None,
        copies: Mapping[str, bytes] | None = None,
    ) -> None:
        super().__init__("base", source, change, trust, files, models, copies or {})
        self._by_path = {file.base_path: file for file in change.files if file.base_path is not None}
        self.changed = frozenset(self._by_path)

    def read(self, path: str) -> bytes | None:
        if path in self._copies:
            return self._copies[path]
        return self._source.content(self._by_path[path], base=True) if path in self._by_path else None


def _state(
    side: SideName, source: ChangeSource, change: Change, trust: Trust, copies: Mapping[str, bytes]
) -> str | None:
    """Return the tree of base or head, the target whose settings tools use in it, and the copies."""
    state = source.state(change, side)
    if state is None:
        return None
    if trust.untrusted_paths is not None:
        state = f"{state} by {change.target}"
    return state + "".join(f" {content_digest(copies[path]).hex()}" for path in sorted(copies))


def _layout_key(root: Path) -> str:
    """The names at the top of the work tree and in ``src``, which decide whether an import is first-party."""
    names: list[str] = []
    for folder in (root, root / "src"):
        with suppress(OSError):
            names += sorted(os.listdir(folder))
    return "\0".join(names)
