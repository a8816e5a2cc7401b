"""PY006."""

from __future__ import annotations

import ast
import re
from functools import cached_property

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.findings import Plane
from wardround.languages.python.module import FunctionNode, last_name, nodes_run_by
from wardround.languages.python.tree import cached_parse, walk
from wardround_python.analysis.blocking_calls import Waiting
from wardround_python.check import PythonCheck

_LOCK_NAME = LazyPattern(r"(^|_)(lock|mutex|rlock)$", re.IGNORECASE)
_LOCK_TYPES = frozenset({"threading.Lock", "threading.RLock"})
# These exist to make their users wait for one another while something outside happens.
_WAITING_IS_MEANT = LazyPattern(
    r"rate_?limit|limiter|throttl|pace|wait|process_?lock|file_?lock", re.IGNORECASE
)

_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
_INSIDE = ("queue.", "threading.", "sqlalchemy.", "redis.")


class BlockingUnderLock(PythonCheck):
    """A lock is held while something outside the process is waited for.

    Every other thread that wants the lock waits as long as the network, the child process or the clock
    takes; one slow answer stops them all. Make the call first, then take the lock for the change alone.
    """

    ID = "PY006"
    NAME = "blocking-under-lock"
    WORDS = ("ock", "utex", "OCK")
    PLANE = Plane.PERF
    VALID = [
        code("""
            import requests
            r = requests.get(u)
            with lock:
                seen.append(r)
        """),
        code("""
            import asyncio
            async def f():
                async with lock:
                    await asyncio.sleep(1)
        """),
    ]
    INVALID = [
        code("""
            import time
            with lock:
                «time.sleep(1)»
        """),
        code("""
            import requests
            class A:
                def __init__(self, http: requests.Session):
                    self.http = http
                def f(self):
                    with self._lock:
                        «self.http.post('u')»
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return ("with " in source.text or ".release()" in source.text) and (
            "ock" in source.text or "utex" in source.text or "OCK" in source.text
        )

    @cached_property
    def _reported(self) -> set[ast.AST]:
        return set()

    @cached_property
    def _made_by(self) -> dict[str, str]:
        """Name or attribute -> what made its value, for the assignments of calls in the module."""
        made: dict[str, str] = {}
        for node in walk(self.module.tree):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                for target in node.targets:
                    made[ast.unparse(target)] = self.module.imported_name(node.value.func) or ""
        return made

    def visit_Try(self, node: ast.Try) -> None:
        """A lock that is given back in ``finally`` is held in the body."""
        for statement in node.finalbody:
            func = (
                statement.value.func
                if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
                else None
            )
            if isinstance(func, ast.Attribute) and func.attr == "release" and self._is_lock(func.value):
                self._look_at(node, func.value)

    def visit_With(self, node: ast.With) -> None:
        lock = next((item.context_expr for item in node.items if self._is_lock(item.context_expr)), None)
        if lock is not None:
            self._look_at(node, lock)
        elif any(_made_lock(item.context_expr) for item in node.items):
            self._tell_of_moved(node)

    def _tell_of_moved(self, node: ast.With | ast.Try) -> None:
        """Under a lock that is meant to be waited for: what the change moved there."""
        for call in (n for n in nodes_run_by(node.body) if isinstance(n, ast.Call)):
            function = self.module.function_of(call)
            name = getattr(function, "name", None)
            if (name, ast.unparse(call)) in self._free_before and self._waits(call) is not None:
                self._reported.add(call)
                lock = ast.unparse(getattr(node, "items", [node])[0])
                self.report(
                    self.module.span(call),
                    f"{self._waits(call)} is waited for under {lock}, and was not before",
                )

    @cached_property
    def _free_before(self) -> frozenset[tuple[str, str]]:
        """The calls that stood outside every ``with`` before the change, by function and as written."""
        base = self.source.base_text
        try:
            tree = cached_parse(base) if base is not None else None
        except _UNREADABLE:
            tree = None
        functions = (n for n in walk(tree) if isinstance(n, FunctionNode)) if tree is not None else ()
        found: set[tuple[str, str]] = set()
        for function in functions:
            held = {
                id(inner)
                for one in walk(function)
                if isinstance(one, (ast.With, ast.AsyncWith))
                for inner in walk(one)
            }
            found |= {
                (function.name, ast.unparse(n))
                for n in nodes_run_by(function.body)
                if isinstance(n, ast.Call) and id(n) not in held
            }
        return frozenset(found)

    def _look_at(self, node: ast.With | ast.Try, lock: ast.expr) -> None:
        if self._waits_on_purpose(node):
            self._tell_of_moved(node)
            return
        inside = list(nodes_run_by(node.body))
        calls = [n for n in inside if isinstance(n, ast.Call) and self._waits(n) is not None]
        waited = next((n for n in inside if isinstance(n, ast.Await)), None)
        if waited is not None and waited not in self._reported:
            self._reported.add(waited)
            message = (
                f"{ast.unparse(lock)} stays held while this is awaited, and whoever wants it stops "
                f"the event loop"
            )
            self.report(self.module.span(waited), message)
        for call in calls:
            if call not in self._reported:
                self._reported.add(call)
                message = f"{self._waits(call)} is waited for while {ast.unparse(lock)} is held"
                self.report(self.module.span(call), message)

    def _waits(self, call: ast.Call) -> str | None:
        """What waits, if a call does; what is waited for inside the process is another matter."""
        wait = self._waiting.of(call) or self._waiting.through(call, under_lock=True)
        return None if wait is None or wait.kind.startswith(_INSIDE) else wait.description

    @cached_property
    def _waiting(self) -> Waiting:
        return Waiting(self.module, self.source.project)

    def _is_lock(self, node: ast.expr) -> bool:
        if not isinstance(node, (ast.Name, ast.Attribute)):
            return False
        made_by = self._made_by.get(ast.unparse(node))
        if made_by is not None and made_by.startswith(("threading.", "multiprocessing.")):
            return made_by in _LOCK_TYPES
        last = node.attr if isinstance(node, ast.Attribute) else node.id
        return not made_by and _LOCK_NAME.search(last) is not None

    def _waits_on_purpose(self, node: ast.With | ast.Try) -> bool:
        named = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        names = [parent.name for parent in self.module.ancestors(node) if isinstance(parent, named)]
        names += [ast.unparse(item.context_expr) for item in getattr(node, "items", ())]
        return any(_WAITING_IS_MEANT.search(name) for name in names)


def _made_lock(node: ast.expr) -> bool:
    """Whether a ``with`` takes a lock that is made there: ``FileLock(path)``, ``cache.lock("x")``."""
    return isinstance(node, ast.Call) and last_name(node.func).endswith(("Lock", "lock"))
