"""Helper functions of a test module that assert, and those that certainly do not."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from wardround.languages.python.module import FunctionNode, PythonModule
from wardround.languages.python.tree import walk
from wardround_tests.models.syntax import (
    FUNCTIONS,
    is_assertion,
    is_certain_assertion,
    last_name,
    root_name,
    top_level,
)

_TEST_SUPPORT = (
    r"(^|[._])(tests?|testing|testutils?|helpers?|utils?|conftest|fixtures?|common|support)([._]|$)"
)


class AssertionHelpers:
    """The asserting helpers of one module.

    Args:
        tests: the nodes of the module's tests, which are not helpers.
    """

    def __init__(self, module: PythonModule, tests: Container[ast.AST]) -> None:
        self._module = module
        self._tests = tests

    @cached_property
    def asserting(self) -> frozenset[str]:
        """Functions and methods of this module that assert, directly or indirectly."""
        return _functions_reaching(self.functions, is_assertion)

    @cached_property
    def certain(self) -> frozenset[str]:
        """Those that fail by an assertion; raising another exception does not count."""
        return _functions_reaching(self.functions, _is_failure)

    @cached_property
    def functions(self) -> dict[str, list[FunctionNode]]:
        """The functions and methods of this module other than tests, by name."""
        found: dict[str, list[FunctionNode]] = {}
        statements = list(top_level(self._module.tree.body))
        classes = [statement for statement in statements if isinstance(statement, ast.ClassDef)]
        for node in (*statements, *(s for cls in classes for s in top_level(cls.body))):
            if isinstance(node, FUNCTIONS) and node not in self._tests:
                found.setdefault(node.name, []).append(node)
        return found

    @cached_property
    def unknown(self) -> frozenset[str]:
        """Local names imported from other test code, which may assert and is not visible here."""
        return frozenset(
            local
            for local, dotted in self._module.imported.items()
            if dotted.startswith(".") or re.search(_TEST_SUPPORT, dotted)
        )

    @cached_property
    def harmless(self) -> frozenset[str]:
        """Plain functions of this module that certainly do not assert, whatever their names."""
        return frozenset(
            node.name
            for node in self._module.tree.body
            if isinstance(node, FUNCTIONS)
            and node not in self._tests
            and node.name not in self.asserting
            and not node.decorator_list
            and self._only_returns(node)
        )

    def _only_returns(self, function: FunctionNode) -> bool:
        """Return True if a function returns a value and calls no unknown helper."""
        nodes = list(walk(function))
        if not any(isinstance(node, ast.Return) and node.value is not None for node in nodes):
            return False
        return not any(isinstance(node, ast.Call) and root_name(node.func) in self.unknown for node in nodes)

    def asserts(self, node: ast.AST) -> bool:
        """Return True if a node makes a test fail on purpose, also through a helper."""
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in self.harmless:
                return False
        if is_assertion(node) or self.is_called_by(node):
            return True
        return isinstance(node, ast.Call) and root_name(node.func) in self.unknown

    def is_called_by(self, node: ast.AST) -> bool:
        """Return True if a node calls a function or method of this module that asserts."""
        if not isinstance(node, ast.Call) or last_name(node.func) not in self.asserting:
            return False
        return isinstance(node.func, ast.Name) or root_name(node.func) in ("self", "cls")


def _functions_reaching(
    functions: Mapping[str, Sequence[FunctionNode]], fails: Callable[[ast.AST], bool]
) -> frozenset[str]:
    """Return the functions with a node that fails a test, and those that call them, also indirectly."""
    calls = {name: _called_in(nodes) for name, nodes in functions.items()}
    found = {name for name, nodes in functions.items() if any(map(fails, _walk_all(nodes)))}
    while more := {name for name, called in calls.items() if name not in found and called & found}:
        found |= more
    return frozenset(found)


def _is_failure(node: ast.AST) -> bool:
    """Return True for an assertion or a raised AssertionError."""
    if isinstance(node, ast.Raise):
        return node.exc is not None and last_name(node.exc) == "AssertionError"
    return is_certain_assertion(node)


def _walk_all(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    for node in nodes:
        yield from walk(node)


def _called_in(nodes: Iterable[ast.AST]) -> set[str]:
    return {last_name(inner) for inner in _walk_all(nodes) if isinstance(inner, ast.Call)}
