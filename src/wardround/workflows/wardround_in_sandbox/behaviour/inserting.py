"""The statements that functions whose calls are recorded get when their module is imported."""

from __future__ import annotations

import ast
from typing import Any

OPEN, CALLED = "__wardround_open__", "__wardround_called__"
MAKING, MADE = "__wardround_making__", "__wardround_made__"
RAISED = "__wardround_raised__"
_VALUE = "__wardround_value__"


class Inserting(ast.NodeTransformer):
    """Adds the statements to the functions that start on certain lines.

    Args:
        by_line: index by the line of ``def``; the results, yielded values and exceptions of such a function
            are recorded, too.
        by_first_line: index by the line of the first decorator, or of ``def`` without one.
    """

    def __init__(self, by_line: dict[int, int], by_first_line: dict[int, int] | None = None) -> None:
        self._by_line = by_line
        self._by_first_line = by_first_line or {}

    def _visit_function(self, node: Any) -> Any:
        first_line = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        index = self._by_line.get(node.lineno, self._by_first_line.get(first_line))
        if index is None:
            return self.generic_visit(node)
        statement, at = _call(node, index)
        if node.lineno in self._by_line:
            noting = _Noting(index)
            documentation, body = node.body[:at], node.body[at:]
            noted = [each for inner in body for each in noting.statements(inner)]
            if node.name == "__init__" and node.args.args and noted:
                text = f"if {MAKING}[{index}]: {MADE}({index}, {node.args.args[0].arg})"
                noted += _statements_at(text, noted[-1])
            node.body = [*documentation, *(_watch_body(noted, index) if noted else ())]
        node.body.insert(at, statement)
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = _visit_function


def _call(node: Any, index: int) -> tuple[ast.stmt, int]:
    """Return the statement that records a call, and its position: after the documentation."""
    first = node.body[0]
    is_documented = isinstance(first, ast.Expr) and isinstance(getattr(first.value, "value", None), str)
    arguments = node.args
    parameters = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    names = "".join(f"{parameter.arg}, " for parameter in parameters)
    called = f"{CALLED}({index}, locals(), ({names}))"
    call = f"({names}) = {called}" if names else called
    at = int(is_documented)
    return _statements_at(f"if {OPEN}[{index}]: {call}", node.body[min(at, len(node.body) - 1)])[0], at


def _statements_at(text: str, place: ast.AST) -> list[ast.stmt]:
    """Return new statements with the position of another one."""
    created = ast.parse(text).body
    for statement in created:
        for node in ast.walk(statement):
            ast.copy_location(node, place)
    return created


def _watch_body(body: list[ast.stmt], index: int) -> list[ast.stmt]:
    """Return a body that reports the exception with which it ends."""
    text = f"try: pass\nexcept BaseException:\n    {RAISED}({index})\n    raise"
    created: list[Any] = _statements_at(text, body[0])
    created[0].body = body
    return created


class _Noting(ast.NodeTransformer):
    """Passes the results or yielded values of one function to the recorder; nested functions are
    unchanged.
    """

    def __init__(self, index: int) -> None:
        self._index = index

    def statements(self, item: ast.stmt) -> list[ast.stmt]:
        found = self.visit(item)
        return found if isinstance(found, list) else [found]

    def _inner(self, node: ast.AST) -> ast.AST:
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = _inner

    def visit_Return(self, node: ast.Return) -> Any:
        if node.value is None or isinstance(node.value, ast.Constant):
            return node
        text = f"{_VALUE} = 0\nif {MAKING}[{self._index}]: {MADE}({self._index}, {_VALUE})\nreturn {_VALUE}"
        created: list[Any] = _statements_at(text, node)
        created[0].value = self.visit(node.value)
        return created

    def visit_Yield(self, node: ast.Yield) -> Any:
        if node.value is None or isinstance(node.value, ast.Constant):
            return node
        created: Any = _statements_at(f"{MADE}({self._index}, 0)", node)[0]
        created.value.args[1] = self.visit(node.value)
        node.value = created.value
        return node
