"""Assertions that a Python test reaches when it runs, by the syntax of the test alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from wardround.languages.python.tree import unparse

Test = ast.FunctionDef | ast.AsyncFunctionDef
_ASSERTING = re.compile(r"_*(?:assert|expect|raises|warns|verify|check)", re.IGNORECASE)
_INTROSPECTION = frozenset({"bool", "callable", "hasattr", "id", "isinstance", "issubclass", "repr", "type"})
"""Functions that call nothing of what they are given."""
_CATCHING = re.compile(r"\b(?:AssertionError|BaseException|Exception)\b")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_ENDS = (ast.Return, ast.Raise, ast.Break, ast.Continue)


def asserts_something(test: Test) -> bool:
    """Return True if a test calls code and reaches an assertion that can fail."""
    nodes = list(_reached(test.body))
    return any(map(_runs_code, nodes)) and any(map(_is_assertion, nodes))


def _reached(body: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    """Yield the statements and expressions that run; those of inner functions do not by themselves."""
    for one in body:
        if isinstance(one, _SCOPES) or _never_runs(one):
            continue
        yield one
        for _, value in ast.iter_fields(one):
            yield from _reached_in(value, one)
        if isinstance(one, _ENDS):
            return


def _reached_in(value: object, statement: ast.stmt) -> Iterator[ast.AST]:
    if isinstance(value, ast.expr):
        yield from ast.walk(value)
    elif isinstance(value, list) and value and isinstance(value[0], ast.stmt):
        if not (isinstance(statement, ast.Try) and value is statement.body and _swallows(statement)):
            yield from _reached(value)
    elif isinstance(value, list):
        yield from (inner for one in value if isinstance(one, ast.AST) for inner in _reached_in_part(one))


def _reached_in_part(part: ast.AST) -> Iterator[ast.AST]:
    """Yield what runs of an item of ``with``, a case of ``match`` or a handler."""
    if isinstance(part, ast.match_case | ast.ExceptHandler):
        yield from _reached(part.body)
    else:
        yield from ast.walk(part)


def _never_runs(one: ast.stmt) -> bool:
    if isinstance(one, ast.If | ast.While):
        return isinstance(one.test, ast.Constant) and not one.test.value
    return isinstance(one, ast.For | ast.AsyncFor) and _is_empty(one.iter)


def _is_empty(value: ast.expr) -> bool:
    return isinstance(value, ast.List | ast.Tuple | ast.Set) and not value.elts


def _swallows(one: ast.Try) -> bool:
    """Return True if a failed assertion in the body of ``try`` does not fail the test."""
    return any(map(_catches_and_goes_on, one.handlers))


def _catches_and_goes_on(handler: ast.ExceptHandler) -> bool:
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
