"""Whether the status of a process that a module starts is looked at."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property, lru_cache

from wardround.findings import Span
from wardround.languages.python.tree import cached_parse, walk


def asks_for_status(text: str, span: Span) -> bool:
    """Whether the status of the process that starts at a place is looked at: then it is not forgotten."""
    try:
        return _module(text).asks(span)
    except (ValueError, SyntaxError, RecursionError):
        return False


class _Starts:
    """The calls of a module by place, and where a status is looked at."""

    def __init__(self, text: str) -> None:
        self._tree = cached_parse(text)
        self._looked_at: dict[ast.AST, frozenset[str]] = {}

    def asks(self, span: Span) -> bool:
        call = self._calls.get(span.start)
        if call is None:
            return False
        looked_at = self._looked_at_in(self._around.get(span.line, self._tree))
        return ast.unparse(call) in looked_at or self._targets.get(call) in looked_at

    @cached_property
    def _nodes(self) -> list[ast.AST]:
        return list(walk(self._tree))

    @cached_property
    def _around(self) -> dict[int, ast.AST]:
        """The innermost function a line stands in."""
        return {line: node for node in self._nodes for line in _lines_of(node)}

    @cached_property
    def _calls(self) -> dict[tuple[int, int], ast.Call]:
        """Line and column, 1-based -> the outermost call that begins there."""
        found: dict[tuple[int, int], ast.Call] = {}
        for node in self._nodes:
            if isinstance(node, ast.Call):
                found.setdefault((node.lineno, node.col_offset + 1), node)
        return found

    @cached_property
    def _targets(self) -> dict[ast.expr, str]:
        """What is assigned -> the first place it is assigned to."""
        return {
            node.value: ast.unparse(node.targets[0])
            for node in self._nodes
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        }

    def _looked_at_in(self, function: ast.AST) -> frozenset[str]:
        """The processes whose status a function, or the module, reads."""
        if function not in self._looked_at:
            self._looked_at[function] = frozenset(
                ast.unparse(node.value)
                for node in walk(function)
                if isinstance(node, ast.Attribute) and node.attr in ("returncode", "check_returncode")
            )
        return self._looked_at[function]


def _lines_of(node: ast.AST) -> Iterator[int]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


@lru_cache(maxsize=4)
def _module(text: str) -> _Starts:
    return _Starts(text)
