"""Nodes of Python test code: names, bodies, and nodes that assert."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from wardround.languages.python.module import FunctionNode, PythonModule
from wardround.languages.python.tree import children
from wardround.lazy import LazyPattern

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
ASSERTING_NAME = LazyPattern(
    r"^_*(assert|check|verify|expect|should|ensure|validate|compare|fail$|fail_|must|match|confirm|"
    r"test(_(?!client|request|cli|app|server|data|dir|file|path)\w*)?$|"
    r"run_.*test|do_.*test|_?run_.*case|approve|raises|warns|deprecated_call|exit_with|finish_request_and_|Raises(Group|Exc)$)"
    r"|(?i:assert|expect|verify)|fnmatch|re_match|reveal_type|_check$|_match$|_matches$|_test$|_tests$|_equal$"
)
"""Names of calls and context managers that make a test fail when a condition is not valid."""
_CERTAIN_NAME = LazyPattern(
    r"(?i)assert|^_*(check|verify|expect)_|^(raises|RaisesGroup|warns|fail|deprecated_call)$"
)


def last_name(node: ast.AST) -> str:
    """Return the last part of the name of a call or decorator: ``mock.patch.object(...)`` -> ``object``."""
    if isinstance(node, ast.Call):
        return last_name(node.func)
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def body_of(node: FunctionNode) -> list[ast.stmt]:
    """Return the statements of a function without its docstring."""
    first = node.body[0]
    is_docstring = (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    )
    return node.body[1:] if is_docstring else node.body


def own_nodes(statements: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield every node that runs when the statements do, in source order.

    Nested definitions are not entered.
    """
    stack = list(statements)[::-1]
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, (*FUNCTIONS, ast.Lambda, ast.ClassDef)):
            stack.extend(reversed(list(children(node))))


def is_certain_assertion(node: ast.AST) -> bool:
    """Return True if a node certainly asserts something, so that its removal is a loss."""
    if isinstance(node, ast.Call):
        return _CERTAIN_NAME.search(last_name(node.func)) is not None
    return isinstance(node, ast.Assert)


def is_assertion(node: ast.AST) -> bool:
    """Return True if a node itself can make a test fail intentionally, judged by its type and name."""
    if isinstance(node, (ast.Assert, ast.Raise)):
        return True
    if isinstance(node, ast.Call):
        return ASSERTING_NAME.search(last_name(node.func)) is not None
    return False


def equality_operands(node: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    """Return the two operands of an assertion of equality."""
    match node:
        case ast.Assert(test=ast.Compare(left=left, ops=[ast.Eq()], comparators=[right])):
            return left, right
        case ast.Call(func=ast.Attribute(attr="assertEqual" | "assertEquals"), args=[left, right, *_]):
            return left, right
    return None


def root_name(node: ast.expr) -> str:
    """Return the first name of a chain of attributes; empty if it begins with another expression."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def either_order(operands: tuple[ast.expr, ast.expr] | None) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the two operands of a comparison in both orders."""
    if operands is not None:
        yield operands
        yield operands[1], operands[0]


def outermost_function(module: PythonModule, node: ast.AST) -> ast.AST | None:
    """Return the outermost function around a node."""
    found = None
    for parent in module.ancestors(node):
        if isinstance(parent, FUNCTIONS):
            found = parent
    return found


def top_level(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a body, and of the conditions and try blocks in it."""
    for statement in body:
        yield statement
        if isinstance(statement, (ast.If, ast.Try, ast.With)):
            yield from top_level(statement.body)
            yield from top_level(getattr(statement, "orelse", []))
