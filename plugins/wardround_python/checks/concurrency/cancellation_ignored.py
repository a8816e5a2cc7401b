"""PY081: cancellation ignored."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.languages.python.module import last_name, nodes_run_by
from wardround.languages.python.tree import walk
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_LEAVES = (ast.Raise, ast.Return, ast.Break)


class CancellationIgnored(PythonCheck):
    """A loop in a coroutine catches its own cancellation and continues.

    ``task.cancel()`` then has no effect, and a shutdown waits for the task forever. Clean up and
    re-raise, or leave the loop.
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
        if not _catches_cancellation(node) or any(isinstance(n, _LEAVES) for n in nodes_run_by(node.body)):
            return
        attempt = self.module.parents[node]
        assert isinstance(attempt, (ast.Try, ast.TryStar))
        if self._is_in_endless_loop(node) and not any(map(_awaits_other_task, attempt.body)):
            self.report(
                self.module.keyword_span(node, 6),
                "the loop continues after its cancellation; re-raise CancelledError",
            )

    def _is_in_endless_loop(self, node: ast.AST) -> bool:
        for child in self.module.ancestors(node):
            if isinstance(child, (ast.FunctionDef, ast.Lambda, ast.For, ast.AsyncFor)):
                return False
            if isinstance(child, ast.While):
                return isinstance(child.test, ast.Constant) and bool(child.test.value)
        return False


def _awaits_other_task(node: ast.stmt) -> bool:
    """Return True if a statement awaits a task that was cancelled on purpose."""
    return any(
        isinstance(child, ast.Await) and isinstance(child.value, (ast.Name, ast.Attribute))
        for child in walk(node)
    )


def _catches_cancellation(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is not None and last_name(kind) == "CancelledError" for kind in kinds)
