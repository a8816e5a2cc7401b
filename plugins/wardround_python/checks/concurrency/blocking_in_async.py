from __future__ import annotations

import ast
from functools import cached_property

from wardround.checks.source import SourceFile
from wardround.findings import Plane, SuggestedFix
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.analysis.blocking_calls import WaitingCalls
from wardround_python.check import PythonCheck
from wardround_python.libraries.waiting_calls import WAITING_CALLS

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
# Functions that run a callable in a thread, and the position of the callable.
_TO_THREAD = {"to_thread": 0, "run_sync": 0, "run_in_threadpool": 0, "run_in_executor": 1}
_OTHER_LOOPS = frozenset({"trio", "anyio", "curio"})


class BlockingInAsync(PythonCheck):
    """A coroutine makes a blocking call.

    While it waits, the event loop is blocked: no other request, timer or cancellation is processed. Use
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
            self._report_block(node, f"{name}()", function, fix)
            return
        wait = self._waiting_calls.method_of(node) or self._database_query(node) or self._indirect_wait(node)
        if wait is not None:
            self._report_block(node, wait, function)
        elif self._thread_callables and not isinstance(self.module.parents[node], ast.Await):
            self._check_thread(node, function)

    def _check_thread(self, node: ast.Call, function: ast.AsyncFunctionDef) -> None:
        """Report a call of a function that another coroutine runs in a thread."""
        called = unparse(node.func)
        line = self._thread_callables.get(called, node.lineno)
        if line != node.lineno and self._is_plain_function(node):
            message = f'{called}() blocks the event loop in coroutine "{function.name}"'
            self.report(self.module.span(node), f"{message}: line {line} runs it in a thread")

    def _report_block(
        self, node: ast.Call, wait: str, function: ast.AsyncFunctionDef, fix: SuggestedFix | None = None
    ) -> None:
        message = f'{wait} blocks the event loop in coroutine "{function.name}"'
        self.report(self.module.span(node), message, fix)

    def _is_plain_function(self, node: ast.Call) -> bool:
        """Return True if the callee is a function or method of the project, not a coroutine function."""
        found = self.callees.definition_of(node)
        return found is not None and isinstance(found.node, ast.FunctionDef)

    @cached_property
    def _thread_callables(self) -> dict[str, int]:
        """Callables that coroutines of the module run in a thread -> the line."""
        lines: dict[str, int] = {}
        if not any(name in self.source.text for name in _TO_THREAD):
            return lines
        for node in self.module.nodes:
            if isinstance(node, ast.Call):
                work, function = _work_of(node), self.module.function_of(node)
                if isinstance(function, ast.AsyncFunctionDef) and work and not _is_parameter(work, function):
                    lines.setdefault(unparse(work), node.lineno)
        return lines

    @cached_property
    def _waiting_calls(self) -> WaitingCalls:
        return WaitingCalls(self.module, self.source.project)

    def _indirect_wait(self, node: ast.Call) -> str | None:
        """Describe a function or method of the project that itself makes a blocking call."""
        wait = self._waiting_calls.through(node)
        return None if wait is None else wait.description

    def _database_query(self, node: ast.Call) -> str | None:
        """Describe a Django query, which Django refuses to run in a coroutine."""
        func = node.func
        if not isinstance(func, ast.Attribute) or func.attr not in _RUNS_QUERY:
            return None
        if isinstance(self.module.parents[node], ast.Await) or not any(
            name.startswith("django") for name in self.module.imported.values()
        ):
            return None
        chain = unparse(func.value)
        return f"{chain}.{func.attr}() of Django" if _MANAGER.match(chain) else None

    def _sleep_fix(self, node: ast.Call) -> SuggestedFix | None:
        imported = self.module.imported
        other_loop = any(name.partition(".")[0] in _OTHER_LOOPS for name in imported.values())
        if other_loop or not isinstance(self.module.parents[node], ast.Expr):
            return None
        return self.fix(
            node, lambda rewrite: rewrite.expression(node.func, "await asyncio.sleep"),
            "await asyncio.sleep instead", safe=True, needed_import="asyncio",
        )  # fmt: skip


def _is_in_memory(node: ast.Call) -> bool:
    return bool(node.args) and isinstance(node.args[0], ast.Constant) and node.args[0].value == ":memory:"


def _work_of(call: ast.Call) -> ast.Name | ast.Attribute | None:
    """Return the callable that a call runs in a thread of the default pool."""
    if not isinstance(call.func, (ast.Name, ast.Attribute)):
        return None
    position = _TO_THREAD.get(call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id)
    if position is None or len(call.args) <= position:
        return None
    work = call.args[position]
    if position and unparse(call.args[0]) != "None":
        return None
    return work if isinstance(work, (ast.Name, ast.Attribute)) else None


def _is_parameter(work: ast.expr, function: ast.AsyncFunctionDef) -> bool:
    parameters = (*function.args.args, *function.args.kwonlyargs)
    return isinstance(work, ast.Name) and any(parameter.arg == work.id for parameter in parameters)
