"""Values that may be None or null when code passes them to a query."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence, Set

from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.storage.regex_cache import bounded_pattern
from wardround_sql.frontends.python_code import SqlModule
from wardround_sql.frontends.python_scopes import CallSite

_PLACEHOLDER = LazyPattern(
    r"'(?:[^']|'')*'|%\((?P<percent>\w+)\)s|(?P<bare>%s|\?)|\$(?P<number>\d+)|(?<![:\w]):(?P<named>[A-Za-z_]\w*)"
)


def may_be_none(module: SqlModule, call: CallSite, sql: str) -> tuple[int, ...]:
    """Return the offsets of a query's placeholders whose value may be None by the function's signature."""
    function = call.scope.node
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) or len(call.node.args) < 2:
        return ()
    names = _optional(function) - _guarded_names(function)
    if not names:
        return ()
    arguments = call.node.args[1]
    if isinstance(arguments, ast.Dict):
        keys = _keys_of_names(arguments, names)
        return tuple(offset for offset, key, _number in placeholders(sql) if key in keys)
    values: Sequence[ast.expr] = call.node.args[1:]
    if isinstance(arguments, (ast.Tuple, ast.List)):
        values = arguments.elts
    numbers = {number for number, value in enumerate(values) if getattr(value, "id", "") in names}
    return _offsets_of_numbers(sql, numbers)


def _keys_of_names(arguments: ast.Dict, names: Set[str]) -> set[str]:
    """Return the keys of a dictionary whose values are some names."""
    keys = set()
    for key, value in zip(arguments.keys, arguments.values, strict=True):
        if getattr(value, "id", "") in names:
            keys.add(str(getattr(key, "value", "")))
    return keys


def _offsets_of_numbers(sql: str, numbers: Set[int]) -> tuple[int, ...]:
    """Return the offsets of placeholders without a name that have one of the numbers."""
    return tuple(offset for offset, name, number in placeholders(sql) if not name and number in numbers)


def _optional(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    arguments = function.args
    result = set()
    for item in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        text = unparse(item.annotation) if item.annotation is not None else ""
        if re.search(r"\bNone\b|\bOptional\b", text):
            result.add(item.arg)
    return result


def _guarded_names(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Return the names that a function tests or reassigns."""
    found = set()
    for node in walk(function):
        tests = []
        if isinstance(node, (ast.If, ast.IfExp, ast.While, ast.Assert)):
            tests = [node.test]
        elif isinstance(node, ast.BoolOp):
            tests = list(node.values)
        elif isinstance(node, (ast.Assign, ast.AugAssign, ast.NamedExpr)):
            tests = list(node.targets) if isinstance(node, ast.Assign) else [node.target]
        found |= {child.id for test in tests for child in walk(test) if isinstance(child, ast.Name)}
    return found


def placeholders(sql: str) -> Iterator[tuple[int, str, int]]:
    """Yield the placeholders: offset, name, and the 0-based number of those without a name."""
    count = 0
    for match in _PLACEHOLDER.finditer(sql):
        name = match["percent"] or match["named"] or ""
        if name:
            yield match.start(), name, -1
        elif match["number"]:
            yield match.start(), "", int(match["number"]) - 1
        elif match["bare"]:
            yield match.start(), "", count
            count += 1


def may_be_null(code: str, before: int, sql: str, after: str) -> tuple[int, ...]:
    """Return the placeholders that may be null in TypeScript.

    Args:
        after: text of the call after the query.
        before: offset at which the call begins.
    """
    arguments = re.match(r"\s*,\s*\[([^\[\]]*)\]", after)
    if arguments is None:
        return ()
    first = max(before - 3000, 0)
    start = max(code.rfind("\n}", first, before), code.rfind("\n  }", first, before), first)
    around = code[start:before]
    values = enumerate(value.strip() for value in arguments[1].split(","))
    return _offsets_of_numbers(sql, {number for number, value in values if _may_be_null(value, around)})


def _may_be_null(value: str, around: str) -> bool:
    """Return True if a value is a name that is declared as nullable, and no condition excludes null."""
    if not re.fullmatch(r"[A-Za-z_$][\w$]*", value):
        return False
    name = re.escape(value)
    typed = bounded_pattern(rf"\b{name}(?:\?\s*:\s*[\w<>\[\]]+|\s*:\s*[^,)=\n]*\bnull\b)").search(around)
    if typed is None:
        return False
    condition = rf"\bif\s*\([^\n]*\b{name}\b|\b{name}\s*(?:\?\?|\?[^.:]|[=!]==?|\|\||&&|=[^=>])"
    return re.search(condition, around[typed.end() :]) is None
