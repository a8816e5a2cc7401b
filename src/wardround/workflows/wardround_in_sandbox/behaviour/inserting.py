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
        by_line: index by the line of ``def``; what such a function returns, yields and raises is noted, too.
        by_first_line: index by the line of the first decorator, or of ``def`` without one.
    """

    def __init__(self, by_line: dict[int, int], by_first_line: dict[int, int] | None = None) -> None:
        self._by_line = by_line
        self._by_first_line = by_first_line or {}

    def _visit_function(self, node: Any) -> Any:
        first_line = min([node.lineno, *(one.lineno for one in node.decorator_list)])
        index = self._by_line.get(node.lineno, self._by_first_line.get(first_line))
        if index is None:
            return self.generic_visit(node)
        statement, at = _call(node, index)
        if node.lineno in self._by_line:
            noting = _Noting(index)
            documentation, body = node.body[:at], node.body[at:]
            noted = [each for one in body for each in noting.statements(one)]
            if node.name == "__init__" and node.args.args and noted:
                text = f"if {MAKING}[{index}]: {MADE}({index}, {node.args.args[0].arg})"
                noted += _placed(text, noted[-1])
            node.body = [*documentation, *(_watched(noted, index) if noted else ())]
        node.body.insert(at, statement)
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = _visit_function


def _call(node: Any, index: int) -> tuple[ast.stmt, int]:
    """Return the statement that records a call, and its position: after the documentation."""
    first = node.body[0]
    is_documented = isinstance(first, ast.Expr) and isinstance(getattr(first.value, "value", None), str)
    arguments = node.args
    parameters = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    names = "".join(f"{one.arg}, " for one in parameters)
    called = f"{CALLED}({index}, locals(), ({names}))"
    call = f"({names}) = {called}" if names else called
    at = int(is_documented)
    return _placed(f"if {OPEN}[{index}]: {call}", node.body[min(at, len(node.body) - 1)])[0], at


def _placed(text: str, place: ast.AST) -> list[ast.stmt]:
    """Return new statements with the position of another one."""
    made = ast.parse(text).body
    for statement in made:
        for one in ast.walk(statement):
            ast.copy_location(one, place)
    return made


def _watched(body: list[ast.stmt], index: int) -> list[ast.stmt]:
    """Return a body that reports the exception with which it ends."""
    text = f"try: pass\nexcept BaseException:\n    {RAISED}({index})\n    raise"
    made: list[Any] = _placed(text, body[0])
    made[0].body = body
    return made


class _Noting(ast.NodeTransformer):
    """Passes what one function returns or yields to the recorder; functions in it stay as they are."""

    def __init__(self, index: int) -> None:
        self._index = index

    def statements(self, one: ast.stmt) -> list[ast.stmt]:
        found = self.visit(one)
        return found if isinstance(found, list) else [found]

    def _inner(self, node: ast.AST) -> ast.AST:
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = _inner

    def visit_Return(self, node: ast.Return) -> Any:
        if node.value is None or isinstance(node.value, ast.Constant):
            return node
        text = f"{_VALUE} = 0\nif {MAKING}[{self._index}]: {MADE}({self._index}, {_VALUE})\nreturn {_VALUE}"
        made: list[Any] = _placed(text, node)
        made[0].value = self.visit(node.value)
        return made

    def visit_Yield(self, node: ast.Yield) -> Any:
        if node.value is None or isinstance(node.value, ast.Constant):
            return node
        made: Any = _placed(f"{MADE}({self._index}, 0)", node)[0]
        made.value.args[1] = self.visit(node.value)
        node.value = made.value
        return node
