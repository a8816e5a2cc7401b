"""PY038: wrapper drops result."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from wardround.checks.cases import code
from wardround.languages.python.module import FunctionNode, nodes_run_by
from wardround.languages.python.tree import unparse
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck


class WrapperDropsResult(PythonCheck):
    """A decorator's wrapper calls the function and drops its return value.

    Every decorated function then returns None, and nothing at its definition shows why. Write ``return``
    before the call.
    """

    ID = "PY038"
    NAME = "wrapper-drops-result"
    MATURITY = Maturity.PREVIEW
    WORDS = ("*args", "wraps(")
    VALID = [
        code("""
            def d(func):
                def wrapper(*args, **kwargs):
                    log()
                    return func(*args, **kwargs)
                return wrapper
        """),
        code("""
            def d(func):
                def wrapper(*args, **kwargs):
                    done = func(*args, **kwargs)
                    log()
                    return done
                return wrapper
        """),
    ]
    INVALID = [
        code("""
            from functools import wraps
            def locked(fn):
                @wraps(fn)
                def inner(self, *args):
                    with self.lock:
                        «fn(self, *args)»
                return inner
        """),
        code("""
            import functools
            def d(func):
                @functools.wraps(func)
                def wrapper(*args, **kwargs):
                    log()
                    «func(*args, **kwargs)»
                return wrapper
        """),
    ]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._check(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._check(node)

    def _check(self, node: FunctionNode) -> None:
        outer = self.module.function_of(node)
        if node.args.vararg is None or not isinstance(outer, ast.FunctionDef) or _is_none(node.returns):
            return
        body = list(nodes_run_by(node.body))
        if not self._is_returned(outer, node) or any(map(_returns_value, body)):
            return
        wrapped = {a.arg: a for a in (*outer.args.posonlyargs, *outer.args.args)}
        for statement in (n for n in body if isinstance(n, ast.Expr)):
            name = self._wrapped_call(statement, wrapped, node.args.vararg.arg)
            if name is not None:
                self.report(
                    self.module.span(statement),
                    f"the result of {name}() is dropped, so {node.name}() returns None; return it",
                )
                return

    def _wrapped_call(self, statement: ast.Expr, wrapped: Mapping[str, ast.arg], vararg: str) -> str | None:
        """Return the name of the wrapped function if a statement calls it and it returns a value."""
        call = statement.value.value if isinstance(statement.value, ast.Await) else statement.value
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            return None
        parameter = wrapped.get(call.func.id)
        if parameter is None or not _forwards(call, vararg) or self._returns_none(parameter):
            return None
        return call.func.id

    def _is_returned(self, outer: FunctionNode, node: FunctionNode) -> bool:
        return any(
            isinstance(n, ast.Return) and n.value is not None and _name_of(n.value) == node.name
            for n in nodes_run_by(outer.body)
        )

    def _returns_none(self, parameter: ast.arg) -> bool:
        """Return True if the annotation declares that the function returns None."""
        return parameter.annotation is not None and unparse(parameter.annotation).endswith(", None]")


def _is_none(annotation: ast.expr | None) -> bool:
    return isinstance(annotation, ast.Constant) and annotation.value in (None, "None")


def _name_of(value: ast.expr) -> str:
    """Return a name, also one inside a cast or an update of it."""
    if isinstance(value, ast.Call) and value.args:
        value = value.args[-1]
    return value.id if isinstance(value, ast.Name) else ""


def _returns_value(node: ast.AST) -> bool:
    return (isinstance(node, ast.Return) and node.value is not None) or isinstance(
        node, (ast.Yield, ast.YieldFrom)
    )


def _forwards(call: ast.Call, name: str) -> bool:
    return any(isinstance(a, ast.Starred) and unparse(a.value) == name for a in call.args)
