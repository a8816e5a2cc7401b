"""Code that only newer versions of Python run than the oldest that a project supports."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator

from wardround.findings import Span
from wardround.languages.python.module import FunctionNode, PythonModule, last_name
from wardround.lazy import LazyPattern

_IN_PATH = LazyPattern(r"(?:^|[/_-])py(?:thon)?[_-]?3[_.-]?(\d{1,2})(?=[/_.-]|$)", re.IGNORECASE)
"""A folder or file that is named for a version: ``python_312/``, ``test_names_py312.py``."""
_MODULE = LazyPattern(r"^Module `([\w.]+)` has no member")
_SKIPPING = frozenset({"skipif", "skipIf"})
_LEAVING = frozenset({"exit", "skip"})


def is_member_of_newer(message: str, module: PythonModule, span: Span, minor: int) -> bool:
    """Return True if a module of the standard library lacks a member only as of a version that does not run
    the code.

    Args:
        minor: the minor version of Python 3 whose standard library was read.
    """
    named = _MODULE.search(message)
    if named is None or named[1].partition(".")[0] not in sys.stdlib_module_names:
        return False
    return any(floor > minor for floor in _floors(module, span.line))


def _floors(module: PythonModule, line: int) -> Iterator[int]:
    """Yield minor versions below which a line does not run, by the path and by the conditions around it."""
    yield from map(int, _IN_PATH.findall(module.path))
    for statement in module.tree.body:
        if (
            isinstance(statement, ast.If)
            and _last_line(statement) < line
            and _leaves_function(statement.body[-1])
        ):
            yield from _skipped_below(module, statement.test)
    for node in module.nodes:
        if isinstance(node, (FunctionNode, ast.ClassDef)) and node.lineno < line <= _last_line(node):
            yield from _skipped_by_decorators(module, node.decorator_list)


def _last_line(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _leaves_function(statement: ast.stmt) -> bool:
    called = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(statement, ast.Raise) or (
        isinstance(called, ast.Call) and last_name(called.func) in _LEAVING
    )


def _skipped_by_decorators(module: PythonModule, decorators: list[ast.expr]) -> Iterator[int]:
    for decorator in decorators:
        if isinstance(decorator, ast.Call) and last_name(decorator.func) in _SKIPPING and decorator.args:
            yield from _skipped_below(module, decorator.args[0])


def _skipped_below(module: PythonModule, test: ast.expr) -> Iterator[int]:
    """Yield N for the condition ``sys.version_info < (3, N)``."""
    if not isinstance(test, ast.Compare) or module.qualified_name(test.left) != "sys.version_info":
        return
    limit = test.comparators[0]
    if isinstance(test.ops[0], ast.Lt) and isinstance(limit, ast.Tuple) and len(limit.elts) > 1:
        major, minor = (getattr(part, "value", None) for part in limit.elts[:2])
        if major == 3 and isinstance(minor, int):
            yield minor
