"""PY038."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.languages.python.module import FunctionNode, nodes_run_by
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck


class WrapperDropsResult(PythonCheck):
    """A decorator's wrapper calls the function and drops what it returns.

    Whatever is decorated with it gives None from then on, and nothing at the function itself shows why. Write
    ``return`` before the call.
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
        self._look_at(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._look_at(node)

    def _look_at(self, node: FunctionNode) -> None:
        arguments = node.args
        outer = self.module.function_of(node)
        if arguments.vararg is None or not isinstance(outer, ast.FunctionDef) or _says_nothing(node.returns):
            return
        wrapped = {a.arg: a for a in (*outer.args.posonlyargs, *outer.args.args)}
        body = list(nodes_run_by(node.body))
        if not self._is_returned(outer, node) or any(_gives(n) for n in body):
            return
        for statement in (n for n in body if isinstance(n, ast.Expr)):
            call = statement.value.value if isinstance(statement.value, ast.Await) else statement.value
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
                continue
            given = wrapped.get(call.func.id)
            if given is None or not _passes_on(call, arguments.vararg.arg) or self._takes_silent(given):
                continue
            self.report(
                self.module.span(statement),
                f"what {call.func.id}() returns is dropped: {node.name}() gives None",
            )
            return

    def _is_returned(self, outer: FunctionNode, node: FunctionNode) -> bool:
        return any(
            isinstance(n, ast.Return) and n.value is not None and _name_of(n.value) == node.name
            for n in nodes_run_by(outer.body)
        )

    def _takes_silent(self, given: ast.arg) -> bool:
        """Whether the annotation says that the function returns nothing."""
        return given.annotation is not None and ast.unparse(given.annotation).endswith(", None]")


def _says_nothing(annotation: ast.expr | None) -> bool:
    return isinstance(annotation, ast.Constant) and annotation.value in (None, "None")


def _name_of(value: ast.expr) -> str:
    """A name, also behind a cast or an update of it."""
    if isinstance(value, ast.Call) and value.args:
        value = value.args[-1]
    return value.id if isinstance(value, ast.Name) else ""


def _gives(node: ast.AST) -> bool:
    return (isinstance(node, ast.Return) and node.value is not None) or isinstance(
        node, (ast.Yield, ast.YieldFrom)
    )


def _passes_on(call: ast.Call, name: str) -> bool:
    return any(isinstance(a, ast.Starred) and ast.unparse(a.value) == name for a in call.args)
