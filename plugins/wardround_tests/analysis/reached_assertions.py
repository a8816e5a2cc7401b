"""Assertions that a Python test reaches when it runs, determined from the syntax of the test only."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from wardround.languages.python.tree import unparse

Test = ast.FunctionDef | ast.AsyncFunctionDef
_ASSERTING = re.compile(r"_*(?:assert|expect|raises|warns|verify|check)", re.IGNORECASE)
_INTROSPECTION = frozenset({"bool", "callable", "hasattr", "id", "isinstance", "issubclass", "repr", "type"})
"""Functions that never call their arguments."""
_CATCHING = re.compile(r"\b(?:AssertionError|BaseException|Exception)\b")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_ENDS = (ast.Return, ast.Raise, ast.Break, ast.Continue)


def asserts_something(test: Test) -> bool:
    """Return True if a test calls code and reaches an assertion that can fail."""
    nodes = list(_reached_nodes(test.body))
    return any(map(_runs_code, nodes)) and any(map(_is_assertion, nodes))


def _reached_nodes(body: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    """Yield the statements and expressions that run; those of inner functions do not by themselves."""
    for statement in body:
        if isinstance(statement, _SCOPES) or _never_runs(statement):
            continue
        yield statement
        for name, value in ast.iter_fields(statement):
            is_swallowed = name == "body" and isinstance(statement, ast.Try) and _swallows_failure(statement)
            if not is_swallowed:
                yield from _reached_in(value)
        if isinstance(statement, _ENDS):
            return


def _reached_in(value: object) -> Iterator[ast.AST]:
    """Yield what runs of the value of a statement's field."""
    if isinstance(value, ast.expr):
        yield from ast.walk(value)
    if not isinstance(value, list) or not value:
        return
    if isinstance(value[0], ast.stmt):
        yield from _reached_nodes(value)
        return
    for part in value:
        if isinstance(part, ast.AST):
            yield from _nodes_reached_in(part)


def _nodes_reached_in(part: ast.AST) -> Iterator[ast.AST]:
    """Yield what runs of an item of ``with``, a case of ``match`` or a handler."""
    if isinstance(part, ast.match_case | ast.ExceptHandler):
        yield from _reached_nodes(part.body)
    else:
        yield from ast.walk(part)


def _never_runs(item: ast.stmt) -> bool:
    if isinstance(item, ast.If | ast.While):
        return isinstance(item.test, ast.Constant) and not item.test.value
    return isinstance(item, ast.For | ast.AsyncFor) and _is_empty(item.iter)


def _is_empty(value: ast.expr) -> bool:
    return isinstance(value, ast.List | ast.Tuple | ast.Set) and not value.elts


def _swallows_failure(item: ast.Try) -> bool:
    """Return True if a failed assertion in the body of ``try`` does not fail the test."""
    return any(map(_catches_and_continues, item.handlers))


def _catches_and_continues(handler: ast.ExceptHandler) -> bool:
    if handler.type is not None and not _CATCHING.search(unparse(handler.type)):
        return False
    nodes = (node for line in handler.body for node in ast.walk(line))
    return not any(isinstance(node, ast.Raise | ast.Call) for node in nodes)


def _runs_code(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and not (
        isinstance(node.func, ast.Name) and node.func.id in _INTROSPECTION
    )


def _is_assertion(node: ast.AST) -> bool:
    if isinstance(node, ast.Assert):
        return _can_fail(node.test)
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return _ASSERTING.match(name) is not None


def _can_fail(test: ast.expr) -> bool:
    """Return True for a condition that is not constant, not over nothing, and compares different values."""
    if isinstance(test, ast.Compare) and ast.dump(test.left) == ast.dump(test.comparators[0]):
        return False
    nodes = list(ast.walk(test))
    if any(isinstance(node, ast.comprehension) and _is_empty(node.iter) for node in nodes):
        return False
    return any(isinstance(node, ast.Name | ast.Call) for node in nodes)
