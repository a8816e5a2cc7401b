"""Values that may be None or null when code passes them to a query."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from wardround.checks.lazy import LazyPattern
from wardround.languages.python.tree import unparse, walk
from wardround.storage.regex_cache import bounded
from wardround_sql.frontends.python_code import CallSite, SqlModule

_PLACEHOLDER = LazyPattern(
    r"'(?:[^']|'')*'|%\((?P<percent>\w+)\)s|(?P<bare>%s|\?)|\$(?P<number>\d+)|(?<![:\w]):(?P<named>[A-Za-z_]\w*)"
)


def may_be_none(module: SqlModule, call: CallSite, sql: str) -> tuple[int, ...]:
    """Return the offsets of a query's placeholders whose value may be None by the function's signature."""
    function = call.scope.node
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) or len(call.node.args) < 2:
        return ()
    names = _optional(function) - _guarded(function)
    if not names:
        return ()
    arguments = call.node.args[1]
    if isinstance(arguments, ast.Dict):
        keys = [str(getattr(key, "value", "")) for key in arguments.keys]
        named = {
            key
            for key, value in zip(keys, arguments.values, strict=True)
            if getattr(value, "id", "") in names
        }
        return tuple(offset for offset, name, _number in placeholders(sql) if name in named)
    values: Sequence[ast.expr] = (
        arguments.elts if isinstance(arguments, (ast.Tuple, ast.List)) else call.node.args[1:]
    )
    numbers = {number for number, value in enumerate(values) if getattr(value, "id", "") in names}
    return tuple(position for position, name, number in placeholders(sql) if not name and number in numbers)


def _optional(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    arguments = function.args
    result = set()
    for item in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        text = unparse(item.annotation) if item.annotation is not None else ""
        if re.search(r"\bNone\b|\bOptional\b", text):
            result.add(item.arg)
    return result


def _guarded(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
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
    numbers = set()
    for number, value in enumerate(item.strip() for item in arguments[1].split(",")):
        if not re.fullmatch(r"[A-Za-z_$][\w$]*", value):
            continue
        typed = bounded(rf"\b{re.escape(value)}(?:\?\s*:\s*[\w<>\[\]]+|\s*:\s*[^,)=\n]*\bnull\b)").search(
            around
        )
        tested = re.search(
            rf"\bif\s*\([^\n]*\b{re.escape(value)}\b|\b{re.escape(value)}\s*(?:\?\?|\?[^.:]|[=!]==?|\|\||&&|=[^=>])",
            around[typed.end() :] if typed else "",
        )
        if typed and not tested:
            numbers.add(number)
    return tuple(position for position, name, number in placeholders(sql) if not name and number in numbers)
