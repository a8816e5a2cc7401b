"""The tests to add or change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from wardround.authoring.context.base_tree import BaseTree
from wardround.authoring.context.model import ContextItem, WriteContext
from wardround.authoring.context.named_tests import subject_path
from wardround.authoring.plan.model import PlannedTest
from wardround.change.encoding import escape_undecodable
from wardround.retrieval.test_selection import nearness, same_language
from wardround.text.search_terms import parts

_MOST_FILES = 4
_MOST_NEAR = 3
_FORM = frozenset({"test", "tests", "spec"})


def planned_tests(context: WriteContext, tree: BaseTree, paths: Sequence[str]) -> tuple[PlannedTest, ...]:
    """Return the files of the tests that cover the planned code, or where new ones belong.

    Those that have the name of a planned file precede; a new file is only planned if none exists.
    """
    near = _tests_by_file(context, paths)
    named = [test for path in paths for test in _tests_by_name(tree, path, near)]
    found = {test.path: test for test in named if not test.is_new}
    for path, items in near.items():
        if _is_evident(items[0]):
            found.setdefault(path, PlannedTest(path, is_new=False, reason=_reason(items), near=_names(items)))
    return tuple(found.values())[:_MOST_FILES] or tuple(named[:1])


def _is_evident(item: ContextItem) -> bool:
    """Return True if there is more evidence for a test than common words."""
    return any(not reason.startswith("shares") for reason in item.reasons[:-1])


def _tests_by_file(context: WriteContext, paths: Sequence[str]) -> dict[str, list[ContextItem]]:
    """Return the tests of planned files, by their own file."""
    found: dict[str, list[ContextItem]] = {}
    for item in context.tests:
        if subject_path(item.reasons) in paths:
            found.setdefault(item.pointer.path, []).append(item)
    return found


def _reason(items: Sequence[ContextItem]) -> str:
    *reasons, _ = items[0].reasons
    return "; ".join(reasons[:2]) or "shares words with the planned functions"


def _names(items: Iterable[ContextItem]) -> tuple[str, ...]:
    names = [f"`{item.pointer.symbol}` line {item.pointer.first_line}" for item in items]
    return tuple(names[:_MOST_NEAR])


def _tests_by_name(
    tree: BaseTree, path: str, near: Mapping[str, Sequence[ContextItem]]
) -> Iterator[PlannedTest]:
    """Yield the file of tests whose name is that of a module, or the name that it would have."""
    tests = [test for test in tree.tests if same_language(test, path)]
    best = max(tests, key=lambda test: (_has_name(test, path), nearness(test, path), test), default="")
    shown = escape_undecodable(path)
    if best and _has_name(best, path):
        reason = f"its name is that of {shown}"
        yield PlannedTest(
            escape_undecodable(best), is_new=False, reason=reason, near=_names(near.get(best, ()))
        )
    elif new := _new_path(best, path):
        yield PlannedTest(new, is_new=True, reason=f"no file of tests has the name of {shown}")


def _has_name(test: str, path: str) -> bool:
    """Return True if a test file has the name of a module, besides the words of its form."""
    words = set(parts(path.rpartition("/")[2].partition(".")[0]))
    own = set(parts(test.rpartition("/")[2].partition(".")[0]))
    return bool(words) and own - _FORM == words - _FORM


def _new_path(nearest: str, path: str) -> str:
    """Return the name of a new file of tests as the repository names others; empty if it has none."""
    stem, _, suffix = path.rpartition("/")[2].rpartition(".")
    if not nearest or not stem:
        return ""
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
