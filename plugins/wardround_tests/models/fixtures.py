"""Functions of a test module that run for its tests: fixtures, set-up, and the helpers they call."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse, walk

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
SET_UP = frozenset(
    {
        "setUp", "asyncSetUp", "setUpClass", "setUpModule", "setUpTestData", "setup", "setup_method",
        "setup_class", "setup_module", "setup_function",
    }
)  # fmt: skip
"""Methods and functions that runners call before tests."""


def is_fixture(function: FunctionNode) -> bool:
    """Return True if a function is a pytest fixture."""
    return any("fixture" in unparse(decorator).partition("(")[0] for decorator in function.decorator_list)


def fixture_scope(function: FunctionNode) -> str:
    """Return the scope of a fixture; ``function`` by default."""
    for decorator in function.decorator_list:
        for keyword in decorator.keywords if isinstance(decorator, ast.Call) else ():
            if keyword.arg == "scope" and isinstance(keyword.value, ast.Constant):
                return str(keyword.value.value)
    return "function"


def test_code(tests: Iterable[FunctionNode], functions: Iterable[FunctionNode]) -> frozenset[ast.AST]:
    """Return the tests and the functions that run for them, directly or indirectly."""
    by_name: dict[str, list[FunctionNode]] = {}
    found: set[ast.AST] = set(tests)
    pending = list(tests)
    for function in functions:
        by_name.setdefault(function.name, []).append(function)
        if function not in found and (function.name in SET_UP or is_fixture(function)):
            found.add(function)
            pending.append(function)
    while pending:
        for name in _called_names(pending.pop()):
            for helper in by_name.get(name, ()):
                if helper not in found:
                    found.add(helper)
                    pending.append(helper)
    return frozenset(found)


def _called_names(function: FunctionNode) -> Iterator[str]:
    """Yield the names of the functions, or methods of its own class, that a function calls."""
    for node in walk(function):
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Name):
                yield called.id
            elif (
                isinstance(called, ast.Attribute)
                and isinstance(called.value, ast.Name)
                and called.value.id in ("self", "cls")
            ):
                yield called.attr
