from __future__ import annotations

import ast

from wardround.findings import Severity, SuggestedFix
from wardround.languages.python.module import FunctionNode, last_name
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck

_BACK = LazyPattern(
    r"(?i)^_?(close|release|unlock|restore|reset|remove|rmtree|unlink|delete|stop|shutdown|disconnect|rollback|pop"
    r"|chdir|clean_?up|tear_?down|deregister|unregister|disable|terminate|kill|put|putconn|unset|revert|uninstall)\w*$"
)


class ContextManagerWithoutFinally(PythonCheck):
    """A context manager cleans up after its ``yield`` without ``try`` and ``finally``.

    An error in the ``with`` block is raised by the ``yield``, and the code after it does not run: the lock
    stays held, the folder stays changed. Put the ``yield`` into a ``try`` and the clean-up into its
    ``finally``.
    """

    ID = "PY083"
    NAME = "context-manager-without-finally"
    WORDS = ("contextmanager",)
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "unclosed-resource"
    VALID = [
        code("""
            from contextlib import contextmanager
            @contextmanager
            def f(x):
                try:
                    yield x
                finally:
                    x.restore()
        """),
        code("""
            from contextlib import contextmanager
            @contextmanager
            def f(x):
                with x:
                    yield x
        """),
    ]
    INVALID = [
        code("""
            from contextlib import asynccontextmanager
            @asynccontextmanager
            async def f(pool):
                c = await pool.get()
                «yield c»
                await pool.release(c)
        """),
        code(
            """
            from contextlib import contextmanager
            @contextmanager
            def f(x):
                x.change()
                «yield x»
                x.restore()
            """,
            fixed="""
            from contextlib import contextmanager
            @contextmanager
            def f(x):
                x.change()
                try:
                    yield x
                finally:
                    x.restore()
            """,
        ),
    ]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._check(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._check(node)

    def _check(self, node: FunctionNode) -> None:
        if not any(map(_makes_context_manager, node.decorator_list)):
            return
        if "lifespan" in node.name:  # a server ends by itself, not through an error in the block
            return
        for place, statement in enumerate(node.body):
            if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Yield):
                continue
            later = next(filter(_cleans_up, node.body[place + 1 :]), None)
            if later is not None:
                message = (
                    f"line {later.lineno} does not run after an error in the with block; use try and finally"
                )
                self.report(self.module.span(statement), message, self._finally_fix(node, statement, later))
                return

    def _finally_fix(self, node: FunctionNode, start: ast.stmt, cleanup: ast.stmt) -> SuggestedFix | None:
        return self.fix(node, lambda edit: edit.finally_from(node, start, cleanup), "clean up in a finally")


def _makes_context_manager(decorator: ast.expr) -> bool:
    return last_name(decorator) in ("contextmanager", "asynccontextmanager")


def _cleans_up(statement: ast.stmt) -> bool:
    """Return True for a call, awaited or not, that gives something back."""
    match statement:
        case ast.Expr(value=ast.Call(func=func) | ast.Await(value=ast.Call(func=func))):
            return _BACK.search(last_name(func)) is not None
        case _:
            return False
