"""Tests of the exit status of processes that a module starts."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property, lru_cache

from wardround.findings import Span
from wardround.languages.python.tree import cached_parse, unparse, walk


def tests_exit_status(text: str, span: Span) -> bool:
    """Return True if the exit status of the process that starts at a position is tested."""
    try:
        return _module(text).asks(span)
    except (ValueError, SyntaxError, RecursionError):
        return False


class _ProcessStarts:
    """The calls of a module by position, and the tests of exit statuses."""

    def __init__(self, text: str) -> None:
        self._tree = cached_parse(text)
        self._looked_at: dict[ast.AST, frozenset[str]] = {}

    def asks(self, span: Span) -> bool:
        call = self._calls.get(span.start)
        if call is None:
            return False
        looked_at = self._tested_processes(self._enclosing_functions.get(span.line, self._tree))
        return unparse(call) in looked_at or self._targets.get(call) in looked_at

    @cached_property
    def _nodes(self) -> list[ast.AST]:
        return list(walk(self._tree))

    @cached_property
    def _enclosing_functions(self) -> dict[int, ast.AST]:
        """Return the innermost function around a line."""
        return {line: node for node in self._nodes for line in _lines_of(node)}

    @cached_property
    def _calls(self) -> dict[tuple[int, int], ast.Call]:
        """Map line and column, 1-based, to the outermost call that starts there."""
        result: dict[tuple[int, int], ast.Call] = {}
        for node in self._nodes:
            if isinstance(node, ast.Call):
                result.setdefault((node.lineno, node.col_offset + 1), node)
        return result

    @cached_property
    def _targets(self) -> dict[ast.expr, str]:
        """Map an assigned value to the first target of its assignment."""
        return {
            node.value: unparse(node.targets[0])
            for node in self._nodes
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        }

    def _tested_processes(self, function: ast.AST) -> frozenset[str]:
        """Return the processes whose exit status a function, or the module, reads."""
        if function not in self._looked_at:
            self._looked_at[function] = frozenset(
                unparse(node.value)
                for node in walk(function)
                if isinstance(node, ast.Attribute) and node.attr in ("returncode", "check_returncode")
            )
        return self._looked_at[function]


def _lines_of(node: ast.AST) -> Iterator[int]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


@lru_cache(maxsize=4)
def _module(text: str) -> _ProcessStarts:
    return _ProcessStarts(text)
