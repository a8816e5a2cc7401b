"""PY037."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wardround.checks.cases import code
from wardround.languages.python.module import FunctionNode, nodes_run_by
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
    """A builtin is called in a function that uses its name for a value.

    The name is the function's own in the whole body: the call meets the value, which cannot be called, or
    nothing yet. Give the value another name.
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
        self._look_at(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._look_at(node)

    def _look_at(self, node: FunctionNode) -> None:
        body = list(nodes_run_by(node.body))
        called = [
            n
            for n in body
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in BUILTINS
        ]
        if not called:
            return
        outside = {name for n in body if isinstance(n, (ast.Global, ast.Nonlocal)) for name in n.names}
        values = (
            {name for name, is_value in self._given(node, body) if is_value} - outside - set(_callables(body))
        )
        for call in called:
            assert isinstance(call.func, ast.Name)
            if call.func.id in values:
                name = call.func.id
                self.report(
                    self.module.span(call),
                    f'{name}() is not the builtin here: "{name}" is a value of this function',
                )
                return

    def _given(self, node: FunctionNode, body: Sequence[ast.AST]) -> Iterator[tuple[str, bool]]:
        """What gives a builtin's name another meaning, and whether that is a value for sure."""
        for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            if one.arg in BUILTINS:
                annotation = one.annotation
                yield (
                    one.arg,
                    annotation is not None and ast.unparse(annotation).partition("[")[0] in _NO_CALLABLES,
                )
        for statement in body:
            if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                for target in targets:
                    yield from _pairs(target, statement.value)
            elif isinstance(statement, (ast.For, ast.AsyncFor)) and isinstance(statement.target, ast.Tuple):
                for part in statement.target.elts:
                    yield from _pairs(part, ast.Constant(0))


def _callables(body: Sequence[ast.AST]) -> Iterator[str]:
    """The names that a function gives to what can be called."""
    for node in body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, bool]]:
    if isinstance(target, ast.Name) and target.id in BUILTINS:
        made = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in BUILTINS
        yield target.id, isinstance(value, _VALUES) or made
    elif (
        isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts)
    ):
        for one, part in zip(target.elts, value.elts, strict=True):
            is_value = isinstance(part, (*_VALUES, ast.Call, ast.Attribute))
            if isinstance(one, ast.Name) and one.id in BUILTINS:
                yield one.id, is_value
