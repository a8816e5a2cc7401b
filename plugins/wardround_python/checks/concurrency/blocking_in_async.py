"""PY005, and which calls wait for something outside the process."""

from __future__ import annotations

import ast
from functools import cached_property

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.findings import Plane, SuggestedFix
from wardround_python.analysis.blocking_calls import WAITING_CALLS, Waiting
from wardround_python.check import PythonCheck

_DATABASE_CALLS = frozenset({"sqlite3.connect", "psycopg2.connect", "psycopg.connect", "pymysql.connect"})
_SLOW_CALLS = frozenset(
    {
        "bcrypt.hashpw", "bcrypt.checkpw", "hashlib.pbkdf2_hmac", "hashlib.scrypt", "socket.gethostbyname",
        "socket.getaddrinfo",
    }
)  # fmt: skip
_BLOCKING_CALLS = WAITING_CALLS | _DATABASE_CALLS | _SLOW_CALLS
_RUNS_QUERY = frozenset(
    {
        "get", "create", "get_or_create", "update_or_create", "bulk_create", "bulk_update", "count", "exists",
        "first", "last", "latest", "earliest", "aggregate", "delete", "update", "in_bulk",
    }
)  # fmt: skip
_MANAGER = LazyPattern(r"[A-Z]\w*(\.\w+)?\.objects\b|[a-z]\w*\.[A-Z]\w*\.objects\b")
# How work is handed to a thread, and which argument is the work.
_TO_THREAD = {"to_thread": 0, "run_sync": 0, "run_in_threadpool": 0, "run_in_executor": 1}
_OTHER_LOOPS = frozenset({"trio", "anyio", "curio"})


class BlockingInAsync(PythonCheck):
    """A call that blocks its thread is made in a coroutine.

    While it waits, the event loop stands still: no other request, timer or cancellation gets a turn. Use
    the asynchronous counterpart, or move the call to a thread with ``asyncio.to_thread``.
    """

    ID = "PY005"
    NAME = "blocking-in-async"
    WORDS = ("async def",)
    PLANE = Plane.PERF
    DEFECT_CLASS = "blocking-call-in-async"
    VALID = [
        code("""
            import asyncio
            async def f():
                await asyncio.sleep(1)
        """),
        code("""
            import time
            def f():
                time.sleep(1)
        """),
    ]
    INVALID = [
        code(
            """
            import asyncio
            import time
            async def f():
                «time.sleep(1)»
            """,
            fixed="""
            import asyncio
            import time
            async def f():
                await asyncio.sleep(1)
            """,
        ),
        code("""
            import requests
            async def f():
                return «requests.get('u')».json()
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return "async def" in source.text

    def visit_Call(self, node: ast.Call) -> None:
        function = self.module.function_of(node)
        if not isinstance(function, ast.AsyncFunctionDef):
            return
        name = self.module.imported_name(node.func)
        if name in _BLOCKING_CALLS and not _is_in_memory(node):
            fix = self._sleep_fix(node) if name == "time.sleep" else None
            message = f'{name}() blocks the event loop in coroutine "{function.name}"'
            self.report(self.module.span(node), message, fix)
        elif (
            waits := self._waiting.method_of(node) or self._asks_the_database(node) or self._through(node)
        ) is not None:
            message = f'{waits} blocks the event loop in coroutine "{function.name}"'
            self.report(self.module.span(node), message)
        elif self._in_threads and not isinstance(self.module.parents[node], ast.Await):
            called = ast.unparse(node.func)
            if self._in_threads.get(called, node.lineno) != node.lineno and self._is_plain_function(node):
                elsewhere = f"line {self._in_threads[called]} runs it in a thread"
                message = f'{called}() blocks the event loop in coroutine "{function.name}": {elsewhere}'
                self.report(self.module.span(node), message)

    def _is_plain_function(self, node: ast.Call) -> bool:
        """Whether what is called is a function or method of the project, and no coroutine function."""
        found = self.callees.definition_of(node)
        return found is not None and isinstance(found.node, ast.FunctionDef)

    @cached_property
    def _in_threads(self) -> dict[str, int]:
        """What coroutines of the module hand to a thread because it blocks, and in which line."""
        found: dict[str, int] = {}
        for node in self.module.nodes if any(name in self.source.text for name in _TO_THREAD) else ():
            if not isinstance(node, ast.Call) or not isinstance(node.func, (ast.Name, ast.Attribute)):
                continue
            place = _TO_THREAD.get(node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id)
            if place is None or len(node.args) <= place or (place and ast.unparse(node.args[0]) != "None"):
                continue
            handed, around = node.args[place], self.module.function_of(node)
            if isinstance(handed, (ast.Name, ast.Attribute)) and isinstance(around, ast.AsyncFunctionDef):
                given = {a.arg for a in (*around.args.args, *around.args.kwonlyargs)}
                if not (isinstance(handed, ast.Name) and handed.id in given):
                    found.setdefault(ast.unparse(handed), node.lineno)
        return found

    @cached_property
    def _waiting(self) -> Waiting:
        return Waiting(self.module, self.source.project)

    def _through(self, node: ast.Call) -> str | None:
        """A plain function or method of the project that itself makes a call that waits."""
        wait = self._waiting.through(node)
        return None if wait is None else wait.description

    def _asks_the_database(self, node: ast.Call) -> str | None:
        """A query of Django's, which refuses to run in a coroutine."""
        func = node.func
        if not isinstance(func, ast.Attribute) or func.attr not in _RUNS_QUERY:
            return None
        if isinstance(self.module.parents[node], ast.Await) or not any(
            name.startswith("django") for name in self.module.imported.values()
        ):
            return None
        chain = ast.unparse(func.value)
        return f"{chain}.{func.attr}() of Django" if _MANAGER.match(chain) else None

    def _sleep_fix(self, node: ast.Call) -> SuggestedFix | None:
        imported = self.module.imported
        other_loop = any(name.partition(".")[0] in _OTHER_LOOPS for name in imported.values())
        if other_loop or not isinstance(self.module.parents[node], ast.Expr):
            return None
        what = "await asyncio.sleep instead"
        return self.fix(
            node, lambda one: one.expression(node.func, "await asyncio.sleep"), what, safe=True,
            needed_import="asyncio",
        )  # fmt: skip


def _is_in_memory(node: ast.Call) -> bool:
    return bool(node.args) and isinstance(node.args[0], ast.Constant) and node.args[0].value == ":memory:"
