"""The tests of changed functions that a change removes or skips, or that lose assertions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from wardround.change.diff import Change, ChangedFile, FileStatus
from wardround.change.encoding import escape_undecodable
from wardround.context.change_tests import Loss, LostTest
from wardround.context.code_graph.model import Symbol
from wardround.errors import PLUGIN_EXCEPTIONS
from wardround.specialists import CaseOutline, Specialist

MOST_LOST = 50
Cases = Mapping[str, CaseOutline]


class ChangedTestFile(msgspec.Struct, frozen=True):
    """The tests of a changed test file by name; of a side without tests none."""

    path: str
    base: Cases
    head: Cases


def changed_test_files(
    change: Change, specialists: Sequence[Specialist], read: Callable[[ChangedFile, bool], str | None]
) -> tuple[ChangedTestFile, ...]:
    """Return the changed test files; one that cannot be parsed at the head has lost all its tests there."""
    found = []
    for file in change.files:
        path = file.base_path or file.path
        base = {} if file.base_path is None else _cases(specialists, path, read(file, True))
        is_deleted = file.status is FileStatus.DELETED
        head = {} if is_deleted else _cases(specialists, file.path, read(file, False))
        if base or head:
            found.append(ChangedTestFile(path, base, head))
    return tuple(found)


def _cases(specialists: Sequence[Specialist], path: str, text: str | None) -> Cases:
    found: dict[str, CaseOutline] = {}
    for one in specialists if text is not None else ():
        try:
            found |= one.tests_in(path, text or "") or {} if one.claims_name(path) else {}
        except PLUGIN_EXCEPTIONS:
            continue
    return found


def lost_tests(
    files: Sequence[ChangedTestFile], reaching: Mapping[Symbol, tuple[str, ...]]
) -> tuple[LostTest, ...]:
    """Return the tests of the base that assert less at the head, if they reached a changed function.

    A test that another changed file has under the same name has moved.

    Args:
        reaching: a test of the base -> the changed functions that it reached.
    """
    at_head = {_own_name(name) for file in files for name in file.head}
    found = [
        LostTest(escape_undecodable(file.path), outline.line, escape_undecodable(name), how, reaching[symbol])
        for file in files
        for name, outline, how in _losses(file, at_head)
        if (symbol := _symbol_at(file.path, outline.line, reaching)) is not None
    ]
    return tuple(sorted(found)[:MOST_LOST])


def _losses(file: ChangedTestFile, at_head: set[str]) -> Iterator[tuple[str, CaseOutline, Loss]]:
    for name, before in file.base.items():
        after = file.head.get(name)
        if before.is_skipped:
            continue
        if after is None:
            if _own_name(name) not in at_head:
                yield name, before, Loss.REMOVED
        elif after.is_skipped:
            yield name, before, Loss.SKIPPED
        elif after.assertions < before.assertions:
            yield name, before, Loss.FEWER_ASSERTIONS


def _own_name(name: str) -> str:
    return name.rpartition(".")[2]


def _symbol_at(path: str, line: int, symbols: Mapping[Symbol, tuple[str, ...]]) -> Symbol | None:
    """Return the innermost symbol at a line."""
    around = [one for one in symbols if one.path == path and one.line <= line <= one.end_line]
    return min(around, key=lambda one: (one.end_line - one.line, one), default=None)
