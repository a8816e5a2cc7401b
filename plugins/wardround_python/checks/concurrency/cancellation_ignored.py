"""PY081."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.languages.python.module import last_name, nodes_run_by
from wardround.languages.python.tree import walk
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_LEAVES = (ast.Raise, ast.Return, ast.Break)


class CancellationIgnored(PythonCheck):
    """A loop in a coroutine catches its own cancellation and goes on.

    ``task.cancel()`` then has no effect: a shutdown waits for it for ever. Clean up and ``raise`` again,
    or leave the loop.
    """

    ID = "PY081"
    NAME = "cancellation-ignored"
    MATURITY = Maturity.PREVIEW
    WORDS = ("CancelledError",)
    DEFECT_CLASS = "swallowed-exception"
    VALID = [
        code("""
            import asyncio
            async def f(t):
                t.cancel()
                try:
                    await t
                except asyncio.CancelledError:
                    pass
        """),
        code("""
            import asyncio
            async def f(q):
                while True:
                    try:
                        await q.get()
                    except asyncio.CancelledError:
                        break
        """),
    ]
    INVALID = [
        code("""
            from asyncio import CancelledError, sleep
            async def f(self):
                while 1:
                    try:
                        await self.poll()
                    «except» (OSError, CancelledError):
                        log()
        """),
        code("""
            import asyncio
            class A:
                async def run(self):
                    while True:
                        try:
                            await asyncio.sleep(1)
                        «except» asyncio.CancelledError as e:
                            self.last = e
        """),
    ]

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.type is None or any(isinstance(one, _LEAVES) for one in nodes_run_by(node.body)):
            return
        kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
        if not any(last_name(kind) == "CancelledError" for kind in kinds):
            return
        tried = self.module.parents[node]
        assert isinstance(tried, (ast.Try, ast.TryStar))
        if self._is_in_endless_loop(node) and not any(_ends_other(one) for one in tried.body):
            self.report(self.module.keyword_span(node, 6), "the loop goes on after it was told to stop")

    def _is_in_endless_loop(self, node: ast.AST) -> bool:
        for one in self.module.ancestors(node):
            if isinstance(one, (ast.FunctionDef, ast.Lambda, ast.For, ast.AsyncFor)):
                return False
            if isinstance(one, ast.While):
                return isinstance(one.test, ast.Constant) and bool(one.test.value)
        return False


def _ends_other(node: ast.stmt) -> bool:
    """Whether a statement waits for a task that was cancelled on purpose."""
    return any(
        isinstance(one, ast.Await) and isinstance(one.value, (ast.Name, ast.Attribute)) for one in walk(node)
    )
