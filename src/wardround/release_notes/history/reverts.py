"""Commits of a range that a later commit of the range reverts: together they change nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from wardround.lazy import LazyPattern
from wardround.release_notes.history.history import HistoryCommit
from wardround.release_notes.model import Unattributed

_SUBJECT = LazyPattern(r"(?i)(?:\w+(?:\([^)]*\))?!?:\s*)?revert:?\s+[\"“](?P<title>.+)[\"”]$")
_REAPPLY = LazyPattern(r"(?i)reapply\s+[\"“](?P<title>.+)[\"”]$")
_NUMBER = LazyPattern(r"(?m)^Reverts (?:[\w.-]+/[\w.-]+)?([#!]\d{1,9})\s*$")
_OWN_NUMBER = LazyPattern(r"\s*\([#!]\d{1,9}\)$")


class Cancelled(msgspec.Struct, frozen=True):
    """The result of pairing commits with their reverts.

    Attributes:
        commits: the ids of the commits that cancel each other.
        pairs: the same, for the notes.
        corrected: a revert of a part of a pull request -> the commit that represents the pull request.
    """

    commits: frozenset[str] = frozenset()
    pairs: tuple[Unattributed, ...] = ()
    corrected: Mapping[str, str] = {}


def pair_reverts(units: Sequence[HistoryCommit]) -> Cancelled:
    """Pair commits with their reverts.

    Args:
        units: parents before their children.
    """
    return _Pairing(units).result()


class _Pairing:
    """Reads the commits from the oldest to the newest; a revert of a revert restores its commit."""

    def __init__(self, units: Sequence[HistoryCommit]) -> None:
        self._units = units
        self._reverted_by: dict[str, HistoryCommit] = {}
        self._undone: set[str] = set()
        self._corrected: dict[str, str] = {}

    def result(self) -> Cancelled:
        for position, unit in enumerate(self._units):
            target = self._target(unit, self._units[:position])
            if target is not None:
                self._revert(unit, target)
        pairs = tuple(self._pair(unit) for unit in self._units if unit.id in self._reverted_by)
        gone = {*self._reverted_by, *(revert.id for revert in self._reverted_by.values()), *self._undone}
        return Cancelled(frozenset(gone), pairs, self._corrected)

    def _revert(self, revert: HistoryCommit, target: HistoryCommit) -> None:
        if not self._is_complete(revert, target):
            self._corrected[revert.id] = target.id
            return
        restored = next((name for name, by in self._reverted_by.items() if by.id == target.id), None)
        if restored is None:
            self._reverted_by[target.id] = revert
        else:
            del self._reverted_by[restored]
            self._undone |= {revert.id, target.id}

    def _is_complete(self, revert: HistoryCommit, target: HistoryCommit) -> bool:
        """Return False if only a part of a pull request is reverted."""
        named = revert.message.reverted
        parts = [part for part in target.merged if any(part.startswith(name) for name in named)]
        return len(target.merged) < 2 or not parts or any(target.id.startswith(name) for name in named)

    def _target(self, unit: HistoryCommit, before: Sequence[HistoryCommit]) -> HistoryCommit | None:
        """Return the commit that a commit reverts, by its id, its pull request or its title."""
        reverted = _Reverted(unit)
        if reverted.is_nothing:
            return None
        newest_first = list(reversed(before))
        named = next(filter(reverted.names, newest_first), None)
        return named or next(filter(reverted.has_title, newest_first), None)

    def _pair(self, unit: HistoryCommit) -> Unattributed:
        revert = self._reverted_by[unit.id]
        text = unit.message.title or unit.logged.message.partition("\n")[0]
        return Unattributed(text, f"reverted within the range by {revert.id[:10]}", (unit.id, revert.id))


class _Reverted:
    """The commit that the message of a revert names."""

    def __init__(self, revert: HistoryCommit) -> None:
        self._ids = revert.message.reverted
        self._numbers = _NUMBER.findall(revert.logged.message)
        self._title = _reverted_title(revert)

    @property
    def is_nothing(self) -> bool:
        return not (self._ids or self._numbers or self._title)

    def names(self, unit: HistoryCommit) -> bool:
        """Return True if a commit, or one that it represents, is named by its id or its pull request."""
        return any(_is_part_of(unit, name) for name in self._ids) or unit.pull_request in self._numbers

    def has_title(self, unit: HistoryCommit) -> bool:
        """Return True if only the title is named, and a commit has it."""
        return not self._ids and bool(self._title) and unit.message.title.strip() == self._title


def _is_part_of(unit: HistoryCommit, name: str) -> bool:
    return unit.id.startswith(name) or any(part.startswith(name) for part in unit.merged)


def _reverted_title(unit: HistoryCommit) -> str:
    """Return the title in quotes after ``Revert``; for ``Reapply``, that of the revert."""
    title = unit.message.title
    if match := _REAPPLY.match(title):
        return f'Revert "{match["title"]}"'
    match = _SUBJECT.match(title)
    return _OWN_NUMBER.sub("", match["title"]).strip() if match else ""
