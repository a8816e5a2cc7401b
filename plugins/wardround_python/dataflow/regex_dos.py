"""Regular expressions that can take exponential time."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

from wardround.languages.python.module import PythonModule
from wardround.storage import cpython

_REPEATS = frozenset({"MAX_REPEAT", "MIN_REPEAT"})


def is_slow(pattern: str) -> bool:
    """Return True if a repeated group can split the same text in many ways: ``(a+)+``."""
    if not cpython.is_tested():
        return False
    try:
        return _any_slow(cpython.parse_regex(pattern), repeated=False)
    except (re.error, RecursionError, OverflowError, ValueError):
        return False


def _any_slow(parts: Any, repeated: bool) -> bool:
    items = list(parts)
    if repeated and _is_optional_except_repeat(items):
        return True
    return any(_any_slow(body, inner) for op, given in items for body, inner in _bodies(op, given))


def _bodies(op: Any, given: Any) -> list[tuple[Any, bool]]:
    """Return the parts inside one item, each with True if it is repeated without end."""
    if op.name in _REPEATS:
        _, most, body = given
        return [(body, _is_limitless(most))]
    if op.name == "SUBPATTERN":
        return [(given[3], False)]
    if op.name == "BRANCH":
        return [(branch, False) for branch in given[1]]
    return []


def _is_limitless(most: Any) -> bool:
    return getattr(most, "name", "") == "MAXREPEAT"


def _is_optional_except_repeat(items: list[Any]) -> bool:
    """Return True if all of a repeated group but an endless repeat is optional."""
    items = _without_groups(items)
    if len(items) == 1 and items[0][0].name == "BRANCH":
        return any(_is_optional_except_repeat(list(branch)) for branch in items[0][1][1])
    endless = next(filter(_is_endless, items), None)
    if endless is None:
        return False
    required = [item for item in items if item is not endless and not _can_be_empty(item)]
    return not required or (_matches_all(endless) and all(map(_is_letter, required)))


def _without_groups(items: list[Any]) -> list[Any]:
    """Return the items of the innermost group, where a group is all there is."""
    while len(items) == 1 and items[0][0].name == "SUBPATTERN":
        items = list(items[0][1][3])
    return items


def _is_letter(item: Any) -> bool:
    return bool(item[0].name == "LITERAL")


def _is_endless(item: Any) -> bool:
    op, given = item
    if op.name == "SUBPATTERN":
        body = list(given[3])
        return len(body) == 1 and _is_endless(body[0])
    return op.name in _REPEATS and _is_limitless(given[1])


def _matches_all(item: Any) -> bool:
    op, given = item
    return op.name in _REPEATS and [value[0].name for value in given[2]] == ["ANY"]


def _can_be_empty(item: Any) -> bool:
    op, given = item
    if op.name in _REPEATS:
        return bool(given[0] == 0)
    if op.name == "SUBPATTERN":
        return all(_can_be_empty(value) for value in given[3])
    return bool(op.name == "AT")


def slow_names(module: PythonModule) -> Mapping[str, str]:
    """Return the names of the module that are bound to a slow pattern, compiled or as text."""
    result = {}
    for node in module.tree.body:
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
            continue
        value = node.value
        if (
            isinstance(value, ast.Call)
            and module.qualified_name(value.func) in {"re.compile", "regex.compile"}
            and value.args
        ):
            value = value.args[0]
        if isinstance(value, ast.Constant) and isinstance(value.value, str) and is_slow_regex(value.value):
            result[node.targets[0].id] = value.value
    return result


def is_slow_regex(text: str) -> bool:
    """Return the result of ``is_slow``, behind a prefilter for repeated groups."""
    return any(end in text for end in (")+", ")*", "){")) and is_slow(text)
