"""The tests to add or change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wardround.authoring.context.base_tree import BaseTree
from wardround.authoring.context.model import ContextItem, WriteContext
from wardround.authoring.plan.model import PlannedTest
from wardround.change.encoding import escape_undecodable
from wardround.retrieval.test_selection import nearness, same_language

_MOST_FILES = 3
_MOST_NEAR = 4
_NEAR = 1.0
"""The nearness of paths from which a file of tests is that of a module."""


def planned_tests(context: WriteContext, tree: BaseTree, paths: Sequence[str]) -> tuple[PlannedTest, ...]:
    """Return the files of the tests that cover the planned code, or where new ones belong."""
    by_file: dict[str, list[ContextItem]] = {}
    for item in context.tests:
        by_file.setdefault(item.pointer.path, []).append(item)
    found = [
        PlannedTest(path, is_new=False, reason=_reason(items), near=tuple(_names(items)))
        for path, items in list(by_file.items())[:_MOST_FILES]
    ]
    known = {test.path for test in found}
    for path in paths:
        test = _test_by_name(tree, path)
        if test is not None and test.path not in known and not (test.is_new and found):
            found.append(test)
            known.add(test.path)
    return tuple(found)


def _reason(items: Sequence[ContextItem]) -> str:
    return "; ".join(items[0].reasons[:2])


def _names(items: Iterable[ContextItem]) -> list[str]:
    return [f"`{item.pointer.symbol}` line {item.pointer.first_line}" for item in items][:_MOST_NEAR]


def _test_by_name(tree: BaseTree, path: str) -> PlannedTest | None:
    """Return the file of tests whose name is that of a module, or the name that it would have."""
    tests = [test for test in tree.tests if same_language(test, path)]
    best = max(tests, key=lambda test: (nearness(test, path), test), default=None)
    shown = escape_undecodable(path)
    if best is not None and nearness(best, path) >= _NEAR:
        return PlannedTest(escape_undecodable(best), is_new=False, reason=f"its name is that of {shown}")
    new = _new_path(best, path)
    if new is None:
        return None
    return PlannedTest(new, is_new=True, reason=f"no file of tests has the name of {shown}")


def _new_path(nearest: str | None, path: str) -> str | None:
    """Return the name of a new file of tests as the repository names others; None if it has none."""
    stem, _, suffix = path.rpartition("/")[2].rpartition(".")
    if nearest is None or not stem:
        return None
    folder, _, name = nearest.rpartition("/")
    return escape_undecodable(f"{folder}/{_test_name(name, stem, suffix)}".lstrip("/"))


def _test_name(other: str, stem: str, suffix: str) -> str:
    """Return the name of the tests of a module, in the form of another file of tests."""
    if other.startswith("test_"):
        return f"test_{stem}.{suffix}"
    if other.rpartition(".")[0].endswith("_test"):
        return f"{stem}_test.{suffix}"
    marks = other.split(".")[1:-1]
    return ".".join((stem, *marks, suffix))
