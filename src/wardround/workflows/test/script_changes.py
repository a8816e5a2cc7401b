"""The differences between two versions of a script that can have an effect on the tests that loaded it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec

from wardround.workflows.test.outline import Outline, OutlinedFunction, OutlinedStatement


class ScriptDifference(msgspec.Struct, frozen=True):
    """The effects of a changed script.

    Attributes:
        functions: names of those that changed or are removed.
        statement: the first changed statement outside of functions, in words; empty if none has an effect.
        modules: those that it imports now and did not before, as written.
        exports: the names that it exports now and did not before.
    """

    path: str
    functions: frozenset[str] = frozenset()
    statement: str = ""
    modules: frozenset[str] = frozenset()
    exports: frozenset[str] = frozenset()


def script_difference(path: str, before: Outline, after: Outline | None) -> ScriptDifference:
    """Compare two versions of a script; ``after`` is None if it is removed."""
    old = {one.name: one for one in before.functions}
    if after is None:
        return ScriptDifference(path, frozenset(old), "the file is removed")
    new = {one.name: one for one in after.functions}
    changed = (name for name, one in old.items() if name not in new or new[name].digest != one.digest)
    bound = {name for one in before.statements for name in one.names}
    changes = _changed_statements(before, after)
    statements = [one for one, is_added in changes if _has_effect(one, bound, is_added=is_added)]
    methods = [name for name, one in new.items() if name not in old and _is_visible(one)]
    return ScriptDifference(
        path,
        frozenset(changed),
        f"line {statements[0].line}" if statements else next(iter(sorted(methods)), ""),
        frozenset(_modules(after) - _modules(before)),
        frozenset(_exports(after) - _exports(before)),
    )


def _is_visible(function: OutlinedFunction) -> bool:
    """Return True for an added function that can replace an inherited one, or that decorators can see."""
    return not function.is_plain or function.is_inheriting


def _changed_statements(before: Outline, after: Outline) -> Iterator[tuple[OutlinedStatement, bool]]:
    """Yield the statements that only one version has, with True for an added one, and those that moved."""
    old, new = (Counter(one.digest for one in each.statements) for each in (before, after))
    removed, added = old - new, new - old
    for one in before.statements:
        if removed[one.digest] > 0:
            removed[one.digest] -= 1
            yield one, False
    for one in after.statements:
        if added[one.digest] > 0:
            added[one.digest] -= 1
            yield one, True
    yield from _moved(before, after, old & new)


def _moved(before: Outline, after: Outline, common: Counter[str]) -> Iterator[tuple[OutlinedStatement, bool]]:
    """Yield statements with effects, and imports for their effects, that are in another order."""
    first, second = (
        [one for one in each.statements if common[one.digest] and not one.is_bounded]
        for each in (before, after)
    )
    for old, new in zip(first, second, strict=False):
        if old.digest != new.digest:
            yield new, False


def _has_effect(one: OutlinedStatement, bound: set[str], *, is_added: bool) -> bool:
    """Return True unless a statement imports names, or only binds names that are new."""
    if one.is_import and one.names:
        return False
    return not is_added or not one.is_bounded or not bound.isdisjoint(one.names)


def _modules(outline: Outline) -> set[str]:
    return {module for one in outline.statements if one.is_import for module in one.uses}


def _exports(outline: Outline) -> set[str]:
    return {name for one in outline.statements if one.is_registering for name in one.names}
