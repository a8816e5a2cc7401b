"""The tests of changed functions that a change removes or skips, or that lose assertions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from wardround.change.diff import Change, ChangedFile, FileStatus
from wardround.change.encoding import escape_undecodable
from wardround.context.change_tests import Loss, LostTest
from wardround.context.code_graph.model import Symbol
from wardround.errors import PLUGIN_EXCEPTIONS
from wardround.specialists import CaseOutline, Specialist

MOST_LOST = 50
_MOVED = 0.5
"""Minimum share of the assertions of a removed test that other tests contain if it was renamed or split."""
Cases = Mapping[str, CaseOutline]


class ChangedTestFile(msgspec.Struct, frozen=True):
    """The tests of a changed test file by name; none for a version without tests.

    Attributes:
        text: at the head; a title that two tests share names neither.
    """

    path: str
    base: Cases
    head: Cases
    text: str = ""

    def may_have(self, name: str) -> bool:
        """Return True if the head may have a test of this name."""
        return name in self.head or (not self.path.endswith(".py") and name in self.text)


def changed_test_files(
    change: Change, specialists: Sequence[Specialist], read: Callable[[ChangedFile, bool], str | None]
) -> tuple[ChangedTestFile, ...]:
    """Return the changed test files; a file that cannot be parsed at the head has lost all its tests
    there.
    """
    found = []
    for file in change.files:
        path = file.base_path or file.path
        base = {} if file.base_path is None else _cases(specialists, path, read(file, True))
        is_deleted = file.status is FileStatus.DELETED
        text = None if is_deleted else read(file, False)
        head = _cases(specialists, file.path, text)
        if base or head:
            found.append(ChangedTestFile(path, base, head, text or ""))
    return tuple(found)


def _cases(specialists: Sequence[Specialist], path: str, text: str | None) -> Cases:
    found: dict[str, CaseOutline] = {}
    for specialist in specialists if text is not None else ():
        try:
            found |= specialist.tests_in(path, text or "") or {} if specialist.claims_name(path) else {}
        except PLUGIN_EXCEPTIONS:
            continue
    return found


def lost_tests(
    files: Sequence[ChangedTestFile], reaching: Mapping[Symbol, tuple[str, ...]]
) -> tuple[LostTest, ...]:
    """Return the tests of the base that assert less at the head, if they reached a changed function.

    A test whose name or whose lost assertions are in another test of the change has moved.

    Args:
        reaching: a test of the base -> the changed functions that it reached.
    """
    head = _Head(
        frozenset(_last_name(name) for file in files for name in file.head),
        frozenset(text for file in files for side in file.head.values() for text in side.asserted),
    )
    found = [
        LostTest(escape_undecodable(file.path), outline.line, escape_undecodable(name), how, reaching[symbol])
        for file in files
        for name, outline, how in _losses(file, head)
        if (symbol := _symbol_at(file.path, outline.line, reaching)) is not None
    ]
    return tuple(sorted(found)[:MOST_LOST])


class _Head(NamedTuple):
    """The names of the tests of all changed files at the head, and the sources of their assertions."""

    names: frozenset[str]
    asserted: frozenset[str]


def _losses(file: ChangedTestFile, head: _Head) -> Iterator[tuple[str, CaseOutline, Loss]]:
    for name, before in file.base.items():
        after = file.head.get(name)
        if before.is_skipped or (after is None and file.may_have(name)):
            continue
        how = _loss(name, before, after, head)
        if how is not None:
            yield name, before, how


def _loss(name: str, before: CaseOutline, after: CaseOutline | None, head: _Head) -> Loss | None:
    if after is not None and after.is_skipped:
        return Loss.SKIPPED
    if after is not None and after.assertions >= before.assertions:
        return None
    missing = before.asserted if after is None else before.asserted - after.asserted
    has_moved = bool(missing) and _MOVED * len(missing) <= len(missing & head.asserted)
    if after is None:
        return None if has_moved or _last_name(name) in head.names else Loss.REMOVED
    return None if has_moved else Loss.FEWER_ASSERTIONS


def _last_name(name: str) -> str:
    return name.rpartition(".")[2]


def _symbol_at(path: str, line: int, symbols: Mapping[Symbol, tuple[str, ...]]) -> Symbol | None:
    """Return the innermost symbol at a line."""
    around = [symbol for symbol in symbols if symbol.path == path and symbol.line <= line <= symbol.end_line]
    return min(around, key=lambda symbol: (symbol.end_line - symbol.line, symbol), default=None)
