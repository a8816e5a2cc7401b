"""The differences between two versions of a file that can have an effect on tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Set

import msgspec

from wardround.retrieval.test_discovery import contains_tests
from wardround.workflows.test.python_code.outline import Outline, OutlinedFunction, OutlinedStatement

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
        values: those of ``names`` bound to a plain value, so that only code that mentions them is affected.
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
        return _removed_file_difference(path, before)
    effects = _Effects(path, before, after, outside)
    for function in before.functions:
        effects.record_old(function)
    for function in after.functions:
        effects.record_new(function)
    for statement in _changed_statements(before, after):
        effects.record_statement(statement)
    return effects.difference()


class _Effects:
    """The effects of a changed file, which its functions and statements add to one by one."""

    def __init__(self, path: str, before: Outline, after: Outline, outside: Set[str]) -> None:
        self._path = path
        self._outside = outside
        self._old = {function.name: function for function in before.functions}
        self._new = {function.name: function for function in after.functions}
        self._bound = {*self._old, *(name for statement in before.statements for name in statement.names)}
        self._functions: set[str] = set()
        self._names: set[str] = set()
        self._calls: set[str] = set()
        self._values: set[str] = set()
        self._imports: set[str] = set()
        self._is_complete = False
        self._has_examples = False
        self._effective: OutlinedStatement | None = None
        self._unbounded: OutlinedStatement | None = None

    def record_old(self, function: OutlinedFunction) -> None:
        """Record a function of the old version, if it is changed or removed."""
        current = self._new.get(function.name)
        if current is not None and current.digest == function.digest:
            return
        self._functions.add(function.name)
        if _outlives_call(function, current):
            self._names.add(call_name(function.name))
        if function.name in self._outside:
            self._calls.add(call_name(function.name))
            self._names.update(function.changes)
            self._names.update(current.changes if current is not None else ())

    def record_new(self, function: OutlinedFunction) -> None:
        """Record a function of the new version, if it is added.

        It has an effect only if it overrides an inherited method of an existing class, or a decorator
        registers it.
        """
        if function.name in self._old:
            return
        self._functions.add(function.name)
        is_inheriting = function.is_inheriting and not _is_of_new_class(function.name, self._bound)
        is_registered = not function.is_plain
        if is_inheriting or is_registered:
            self._names |= _names_affected_by(function)
        is_own_test = contains_tests(self._path) and _is_test(function.name)
        if is_registered or (is_inheriting and not is_own_test):
            self._is_complete = True

    def record_statement(self, statement: OutlinedStatement) -> None:
        """Record a changed statement."""
        (self._imports if statement.is_import else self._names).update(statement.names)
        if statement.is_example:
            self._has_examples = True
        if not statement.is_bounded:
            self._unbounded = self._unbounded or statement
        if not _has_effect(statement, self._bound):
            return
        if statement.is_value:
            self._values.update(statement.names)
        else:
            self._effective = self._effective or statement

    def difference(self) -> FileDifference:
        """Return the effects recorded so far."""
        effective = self._effective
        return FileDifference(
            self._path,
            functions=frozenset(self._functions),
            names=frozenset(self._names),
            calls=frozenset(self._calls),
            values=frozenset(self._values),
            imports=frozenset(self._imports),
            is_complete=self._is_complete or effective is not None,
            has_examples=self._has_examples,
            statement="" if effective is None else f"line {effective.line}",
            unbounded=_unbounded_reason(self._path, self._unbounded),
        )


def _is_test(function: str) -> bool:
    """Return True for a test, which no other test depends on."""
    return function.rpartition(".")[2].startswith("test")


def _is_of_new_class(function: str, bound: Set[str]) -> bool:
    """Return True for a method of a class that was not there before."""
    around, mark, _ = function.partition(".")
    return bool(mark) and around not in bound


def _outlives_call(before: OutlinedFunction, after: OutlinedFunction | None) -> bool:
    """Return True if a changed function is removed, or its result serves later calls too."""
    return after is None or before.is_once or after.is_once


def call_name(qualified: str) -> str:
    """Return the name by which other code uses a function: of a special method, its class."""
    *around, name = qualified.split(".")
    is_special = name.startswith("__") and name.endswith("__")
    return around[-1] if is_special and around else name


def _removed_file_difference(path: str, before: Outline) -> FileDifference:
    names = {call_name(function.name) for function in before.functions}
    names |= {name for statement in before.statements if not statement.is_import for name in statement.names}
    names = {name for name in names if not name.lower().startswith("test")}
    functions = frozenset(function.name for function in before.functions)
    return FileDifference(
        path, functions, frozenset(names), is_complete=True, statement="the file is removed"
    )


def _names_affected_by(function: OutlinedFunction) -> set[str]:
    """Return the names whose meaning a new function can change.

    A new function has an effect only where it replaces an inherited method of a class that was there, or a
    decorator registers it.
    """
    if function.is_inheriting:
        return {call_name(function.name), function.name.partition(".")[0]}
    return set() if function.is_plain else {call_name(function.name)}


def _changed_statements(before: Outline, after: Outline) -> Iterator[OutlinedStatement]:
    """Yield the statements that only one version has, without added imports, and those in another order."""
    old, new = (Counter(statement.digest for statement in each.statements) for each in (before, after))
    removed, added = old - new, new - old
    both = {function.name for function in before.functions} & {function.name for function in after.functions}
    yield from (
        statement
        for statement in _differing_statements(before, after, removed, added)
        if not statement.decorates or statement.decorates in both
    )
    yield from _moved_statements(before, after, old & new)


def _differing_statements(
    before: Outline, after: Outline, removed: Counter[str], added: Counter[str]
) -> Iterator[OutlinedStatement]:
    for statement in before.statements:
        if removed[statement.digest] > 0:
            removed[statement.digest] -= 1
            yield statement
    for statement in after.statements:
        if added[statement.digest] > 0:
            added[statement.digest] -= 1
            if not statement.is_import or not statement.is_bounded:
                yield statement


def _has_effect(statement: OutlinedStatement, bound: Set[str]) -> bool:
    """Return True unless a statement imports, documents, or only binds names that are new or are followed."""
    if statement.is_import or statement.is_example:
        return False
    if statement.names and _METADATA.issuperset(statement.names):
        return not statement.is_bounded
    is_new = statement.names and bound.isdisjoint(statement.names)
    return not is_new or not statement.is_bounded or statement.is_registering


def _moved_statements(before: Outline, after: Outline, common: Counter[str]) -> Iterator[OutlinedStatement]:
    first, second = (
        [statement for statement in each.statements if common[statement.digest] and not statement.is_import]
        for each in (before, after)
    )
    for old, new in zip(first, second, strict=False):
        if old.digest != new.digest:
            yield new


def _unbounded_reason(path: str, statement: OutlinedStatement | None) -> str:
    if statement is None:
        return ""
    return f"a statement of {path} (line {statement.line}) has effects that no name bounds"
