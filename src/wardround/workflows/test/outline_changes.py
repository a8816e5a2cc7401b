"""The differences between two versions of a file that can have an effect on tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Set

import msgspec

from wardround.retrieval.test_discovery import holds_tests
from wardround.workflows.test.outline import Outline, OutlinedFunction, OutlinedStatement

_METADATA = frozenset(
    {"__author__", "__copyright__", "__credits__", "__date__", "__email__", "__license__", "__maintainer__",
     "__status__", "__title__", "__url__", "__version__", "__version_info__"}
)  # fmt: skip
"""Names of facts about a package: only code that mentions one of them depends on it."""


class FileDifference(msgspec.Struct, frozen=True):
    """The effects of a changed file.

    Attributes:
        functions: names of those that changed, are added or are removed.
        names: names with another meaning; code that mentions one of them behaves differently.
        calls: names of changed functions that ran outside of every test, whose results other names may hold.
        values: those of ``names`` that hold a plain value, so that only code that mentions them is affected.
        imports: such names that the file imports, which only its own code and its importers can mention.
        is_complete: every test that ran a part of the file is affected.
        has_examples: so it is if doctest runs the examples of the file.
        statement: the first changed module-level statement in words; empty if none changed.
        unbounded: the reason why every test may be affected; empty if there is none.
    """

    path: str
    functions: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    calls: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()
    imports: frozenset[str] = frozenset()
    is_complete: bool = False
    has_examples: bool = False
    statement: str = ""
    unbounded: str = ""


def difference(path: str, before: Outline, after: Outline | None, outside: Set[str]) -> FileDifference:
    """Compare two versions of a file.

    Args:
        after: None if the file is removed.
        outside: the functions that ran outside of every test.
    """
    if after is None:
        return _removed(path, before)
    old, new = ({one.name: one for one in each.functions} for each in (before, after))
    changed = [one for one in before.functions if one.name not in new or new[one.name].digest != one.digest]
    calls = {call_name(one.name) for one in changed if one.name in outside}
    names = {call_name(one.name) for one in changed if _outlives(one, new.get(one.name))}
    for one in changed:
        if one.name in outside:
            names |= {*one.changes, *(new[one.name].changes if one.name in new else ())}
    bound = {*old, *(name for one in before.statements for name in one.names)}
    added = [one for one in after.functions if one.name not in old]
    inheriting = [one for one in added if one.is_inheriting and not _is_of_new_class(one.name, bound)]
    replacing = [one for one in inheriting if not (holds_tests(path) and _is_test(one.name))]
    registered = [one for one in added if not one.is_plain]
    for one in (*inheriting, *registered):
        names |= _names_of_added(one)
    statements = list(_changed_statements(before, after))
    names |= {name for one in statements if not one.is_import for name in one.names}
    imports = {name for one in statements if one.is_import for name in one.names}
    effective = [one for one in statements if _has_effect(one, bound)]
    values = {name for one in effective if one.is_value for name in one.names}
    effective = [one for one in effective if not one.is_value]
    unbounded = next((one for one in statements if not one.is_bounded), None)
    return FileDifference(
        path,
        frozenset(one.name for one in (*changed, *added)),
        frozenset(names),
        frozenset(calls),
        frozenset(values),
        frozenset(imports),
        bool(effective or replacing or registered),
        any(one.is_example for one in statements),
        f"line {effective[0].line}" if effective else "",
        _unbounded(path, unbounded),
    )


def _is_test(function: str) -> bool:
    """Return True for a test, which no other test depends on."""
    return function.rpartition(".")[2].startswith("test")


def _is_of_new_class(function: str, bound: Set[str]) -> bool:
    """Return True for a method of a class that was not there before."""
    around, mark, _ = function.partition(".")
    return bool(mark) and around not in bound


def _outlives(before: OutlinedFunction, after: OutlinedFunction | None) -> bool:
    """Return True if a changed function is removed, or its result serves later calls too."""
    return after is None or before.is_once or after.is_once


def call_name(qualified: str) -> str:
    """Return the name by which other code uses a function: of a special method, its class."""
    *around, name = qualified.split(".")
    is_special = name.startswith("__") and name.endswith("__")
    return around[-1] if is_special and around else name


def _removed(path: str, before: Outline) -> FileDifference:
    names = {call_name(one.name) for one in before.functions}
    names |= {name for one in before.statements if not one.is_import for name in one.names}
    names = {name for name in names if not name.lower().startswith("test")}
    functions = frozenset(one.name for one in before.functions)
    return FileDifference(
        path, functions, frozenset(names), is_complete=True, statement="the file is removed"
    )


def _names_of_added(function: OutlinedFunction) -> set[str]:
    """Return the names that a new function can give another meaning to.

    A new function has an effect only where it replaces an inherited method of a class that was there, or a
    decorator registers it.
    """
    if function.is_inheriting:
        return {call_name(function.name), function.name.partition(".")[0]}
    return set() if function.is_plain else {call_name(function.name)}


def _changed_statements(before: Outline, after: Outline) -> Iterator[OutlinedStatement]:
    """Yield the statements that only one version has, without added imports, and those in another order."""
    old, new = (Counter(one.digest for one in each.statements) for each in (before, after))
    removed, added = old - new, new - old
    both = {one.name for one in before.functions} & {one.name for one in after.functions}
    yield from (
        one for one in _differing(before, after, removed, added) if not one.decorates or one.decorates in both
    )
    yield from _moved(before, after, old & new)


def _differing(
    before: Outline, after: Outline, removed: Counter[str], added: Counter[str]
) -> Iterator[OutlinedStatement]:
    for one in before.statements:
        if removed[one.digest] > 0:
            removed[one.digest] -= 1
            yield one
    for one in after.statements:
        if added[one.digest] > 0:
            added[one.digest] -= 1
            if not one.is_import or not one.is_bounded:
                yield one


def _has_effect(statement: OutlinedStatement, bound: Set[str]) -> bool:
    """Return True unless a statement imports, documents, or only binds names that are new or are followed."""
    if statement.is_import or statement.is_example:
        return False
    if statement.names and _METADATA.issuperset(statement.names):
        return not statement.is_bounded
    is_new = statement.names and bound.isdisjoint(statement.names)
    return not is_new or not statement.is_bounded or statement.is_registering


def _moved(before: Outline, after: Outline, common: Counter[str]) -> Iterator[OutlinedStatement]:
    first, second = (
        [one for one in each.statements if common[one.digest] and not one.is_import]
        for each in (before, after)
    )
    for old, new in zip(first, second, strict=False):
        if old.digest != new.digest:
            yield new


def _unbounded(path: str, statement: OutlinedStatement | None) -> str:
    if statement is None:
        return ""
    return f"a statement of {path} (line {statement.line}) has effects that no name bounds"
