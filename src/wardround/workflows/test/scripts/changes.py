"""The differences between two versions of a script that can have an effect on the tests that loaded it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec

from wardround.workflows.test.python_code.outline import Outline, OutlinedFunction, OutlinedStatement


class ScriptDifference(msgspec.Struct, frozen=True):
    """The effects of a changed script.

    Attributes:
        functions: names of those that changed or are removed.
        statement: the first changed statement outside of functions, in words; empty if none has an effect.
        modules: the modules whose import is new, verbatim.
        exports: the names that it exports now and did not before.
    """

    path: str
    functions: frozenset[str] = frozenset()
    statement: str = ""
    modules: frozenset[str] = frozenset()
    exports: frozenset[str] = frozenset()


def script_difference(path: str, before: Outline, after: Outline | None) -> ScriptDifference:
    """Compare two versions of a script; ``after`` is None if it is removed."""
    old = {function.name: function for function in before.functions}
    if after is None:
        return ScriptDifference(path, frozenset(old), "the file is removed")
    new = {function.name: function for function in after.functions}
    changed = (
        name for name, function in old.items() if name not in new or new[name].digest != function.digest
    )
    return ScriptDifference(
        path,
        frozenset(changed),
        _first_effect(before, after),
        frozenset(_modules(after) - _modules(before)),
        frozenset(_exports(after) - _exports(before)),
    )


def _first_effect(before: Outline, after: Outline) -> str:
    """Return the first change outside of functions, else the first new method; empty if there is none."""
    bound = {name for statement in before.statements for name in statement.names}
    for statement, is_added in _changed_statements(before, after):
        if _has_effect(statement, bound, is_added=is_added):
            return f"line {statement.line}"
    old = {function.name for function in before.functions}
    added = (function for function in after.functions if function.name not in old)
    return min((function.name for function in added if _is_visible(function)), default="")


def _is_visible(function: OutlinedFunction) -> bool:
    """Return True for an added function that can replace an inherited one, or that decorators can see."""
    return not function.is_plain or function.is_inheriting


def _changed_statements(before: Outline, after: Outline) -> Iterator[tuple[OutlinedStatement, bool]]:
    """Yield the statements that only one version has, with True for an added one, and those that moved."""
    old, new = (Counter(statement.digest for statement in each.statements) for each in (before, after))
    removed, added = old - new, new - old
    for statement in before.statements:
        if removed[statement.digest] > 0:
            removed[statement.digest] -= 1
            yield statement, False
    for statement in after.statements:
        if added[statement.digest] > 0:
            added[statement.digest] -= 1
            yield statement, True
    yield from _moved_statements(before, after, old & new)


def _moved_statements(
    before: Outline, after: Outline, common: Counter[str]
) -> Iterator[tuple[OutlinedStatement, bool]]:
    """Yield statements with effects, and imports for their effects, that are in another order."""
    first, second = (
        [statement for statement in each.statements if common[statement.digest] and not statement.is_bounded]
        for each in (before, after)
    )
    for old, new in zip(first, second, strict=False):
        if old.digest != new.digest:
            yield new, False


def _has_effect(item: OutlinedStatement, bound: set[str], *, is_added: bool) -> bool:
    """Return True unless a statement imports names, or only binds names that are new."""
    if item.is_import and item.names:
        return False
    return not is_added or not item.is_bounded or not bound.isdisjoint(item.names)


def _modules(outline: Outline) -> set[str]:
    return {module for statement in outline.statements if statement.is_import for module in statement.uses}


def _exports(outline: Outline) -> set[str]:
    return {name for statement in outline.statements if statement.is_registering for name in statement.names}
