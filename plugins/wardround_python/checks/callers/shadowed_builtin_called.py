"""PY037: shadowed builtin called."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeGuard

from wardround.checks.cases import code
from wardround.languages.python.module import FunctionNode, nodes_run_by
from wardround.languages.python.tree import unparse
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck
from wardround_python.prefilters import BUILTINS

_VALUES = (
    ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.ListComp, ast.DictComp,
    ast.SetComp,
    ast.BinOp, ast.Compare,
)  # fmt: skip
_NO_CALLABLES = frozenset(
    {"str", "int", "float", "bool", "bytes", "list", "dict", "set", "tuple", "datetime", "date", "Decimal"}
)


class ShadowedBuiltinCalled(PythonCheck):
    """A builtin is called in a function that binds its name to a value.

    The name is local to the complete body: the call hits the value, which is not callable, or the name
    before it is assigned. Rename the variable.
    """

    ID = "PY037"
    NAME = "shadowed-builtin-called"
    MATURITY = Maturity.PREVIEW
    PREFILTER = "wardround_python.prefilters:names_a_value_like_a_builtin"
    DEFECT_CLASS = "name-shadowed"
    VALID = [
        code("""
            def f(xs):
                low = min(xs)
                return max(xs) - low
        """),
        code("""
            def f(p, gz):
                open = gz.open if gz else io.open
                return open(p)
        """),
    ]
    INVALID = [
        code("""
            def f(xs):
                min, max = 0, 9
                return «max(xs)» - min
        """),
        code("""
            def f(xs):
                total = «sum(xs)»
                sum = 0
                return total, sum
        """),
    ]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._check(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._check(node)

    def _check(self, node: FunctionNode) -> None:
        body = list(nodes_run_by(node.body))
        called = [child for child in body if _is_builtin_call(child)]
        if not called:
            return
        values = self._local_values(node, body)
        for call in called:
            name = unparse(call.func)
            if name in values:
                self.report(
                    self.module.span(call),
                    f'{name}() does not call the builtin: "{name}" is a local variable here; rename it',
                )
                return

    def _local_values(self, node: FunctionNode, body: Sequence[ast.AST]) -> set[str]:
        """Return the builtins' names that a function binds to values that are not callable."""
        outside = {name for n in body if isinstance(n, (ast.Global, ast.Nonlocal)) for name in n.names}
        values = {name for name, is_value in self._bindings(node, body) if is_value}
        return values - outside - set(_callables(body))

    def _bindings(self, node: FunctionNode, body: Sequence[ast.AST]) -> Iterator[tuple[str, bool]]:
        """Yield each local binding of a builtin's name, and True if it is certainly not callable."""
        for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            if argument.arg in BUILTINS:
                yield argument.arg, _is_plain(argument.annotation)
        for statement in body:
            if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                for target in targets:
                    yield from _pairs(target, statement.value)
            elif isinstance(statement, (ast.For, ast.AsyncFor)) and isinstance(statement.target, ast.Tuple):
                for part in statement.target.elts:
                    yield from _pairs(part, ast.Constant(0))


def _callables(body: Sequence[ast.AST]) -> Iterator[str]:
    """Yield the names that a function binds to callables."""
    for node in body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, bool]]:
    if isinstance(target, ast.Name) and target.id in BUILTINS:
        yield target.id, isinstance(value, _VALUES) or _is_builtin_call(value)
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        if len(target.elts) != len(value.elts):
            return
        for element, part in zip(target.elts, value.elts, strict=True):
            if isinstance(element, ast.Name) and element.id in BUILTINS:
                yield element.id, isinstance(part, (*_VALUES, ast.Call, ast.Attribute))


def _is_builtin_call(node: ast.AST) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in BUILTINS


def _is_plain(annotation: ast.expr | None) -> bool:
    return annotation is not None and unparse(annotation).partition("[")[0] in _NO_CALLABLES
