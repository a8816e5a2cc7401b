"""Functions whose last statement is never left without a result."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.findings import Span
from wardround.languages.python.module import PythonModule
from wardround.languages.python.tree import unparse, walk
from wardround_python.analysis.call_resolution import CallResolver

_EXITS = frozenset({"sys.exit", "exit", "quit", "os._exit", "os.abort"})


def never_ends(module: PythonModule, span: Span, resolver: CallResolver) -> bool:
    """Return True if a function ends with a call that never returns, or with a loop whose last pass raises.

    Args:
        span: span of the return annotation.
    """
    return any(
        _exits_otherwise(end, resolver)
        for node in module.nodes
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.returns is not None
        if module.span(node.returns).start == span.start
        for end in _ends(node.body)
    )


def _exits_otherwise(end: ast.stmt, resolver: CallResolver) -> bool:
    if isinstance(end, ast.For):
        return _is_loop_of_attempts(end)
    if not isinstance(end, ast.Expr) or not isinstance(end.value, ast.Call):
        return False
    called = resolver.definition_of(end.value)
    if called is None or isinstance(called.node, ast.ClassDef):
        return False
    return all(_is_exit(last) for last in _ends(called.node.body))


def _ends(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements that a block may end with, through its branches."""
    last = body[-1]
    if isinstance(last, ast.If):
        yield from _ends(last.body)
        yield from _ends(last.orelse) if last.orelse else [last]
    elif isinstance(last, (ast.With, ast.AsyncWith)):
        yield from _ends(last.body)
    elif isinstance(last, ast.Try):
        for block in (last.orelse or last.body, *(handler.body for handler in last.handlers)):
            yield from _ends(block)
    else:
        yield last


def _is_loop_of_attempts(loop: ast.For) -> bool:
    """Return True for a loop over ``range`` that returns, and raises in an exception handler."""
    below = list(walk(loop))
    handlers = [node for node in below if isinstance(node, ast.ExceptHandler)]
    return (
        isinstance(loop.iter, ast.Call)
        and unparse(loop.iter.func) == "range"
        and any(isinstance(node, ast.Return) for node in below)
        and any(isinstance(node, ast.Raise) for handler in handlers for node in walk(handler))
    )


def _is_exit(last: ast.stmt) -> bool:
    """Return True for a statement that raises or ends the process."""
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        return unparse(last.value.func) in _EXITS
    return isinstance(last, ast.Raise)
