"""The rest of the project in a snapshot: the other files that tools see."""

from __future__ import annotations

from functools import partial
from pathlib import PurePosixPath

from wardround.change.change_source import ChangeSource, SideName
from wardround.change.diff import Change, FileStatus
from wardround.change.snapshot import Snapshot, leads_out
from wardround.execution.review_side import ReviewSide
from wardround.execution.trust import Trust


class SnapshotLinker:
    """Links the project at base or head into snapshots, with the target's settings if those apply."""

    def __init__(self, side: SideName, source: ChangeSource, change: Change, trust: Trust) -> None:
        self._side: SideName = side
        self._source = source
        self._trust = trust
        self._present, self._absent = _paths(change, side)
        self._links = [file.path for file in change.files if file.is_link]

    def link(self, side: ReviewSide, snapshot: Snapshot, room: str, patterns: tuple[str, ...]) -> None:
        """Write the changed files of these names and link the others."""
        overruled, forbidden = self._trust.target_settings, self._trust.forbidden_names
        absent = set(self._absent)
        for path in self._present | overruled.keys():
            content = (
                self._content_at(side, path) if self._is_needed(snapshot, room, path, patterns) else None
            )
            if path.rpartition("/")[2] in forbidden or (path in overruled and content is None):
                absent.add(path)
            elif content is not None:
                snapshot.write(room, path, content)
        differing = set(self._source.differing(self._side)) - self._present - overruled.keys()
        read = partial(self._source.read, side=self._side)
        absent |= {path for path in self._links if leads_out(self._source.root, path)}
        tracked = self._source.has_tracked
        snapshot.link_project(room, self._source.root, differing, read, patterns, absent, forbidden, tracked)

    @staticmethod
    def _is_needed(snapshot: Snapshot, room: str, path: str, patterns: tuple[str, ...]) -> bool:
        is_named = any(PurePosixPath(path).match(pattern) for pattern in patterns)
        return is_named and not snapshot.has(room, path)

    def _content_at(self, side: ReviewSide, path: str) -> bytes | None:
        """Return a file from the target if its settings apply, else as it is under review."""
        settings = self._trust.target_settings
        return settings[path] if path in settings else side.read(path)


def _paths(change: Change, side: SideName) -> tuple[set[str], set[str]]:
    """Return the changed paths that exist at base or head, and those that do not."""
    head = {file.path for file in change.files if file.status is not FileStatus.DELETED}
    base = {file.base_path for file in change.files if file.base_path is not None}
    return (head, base - head) if side == "head" else (base, head - base)
