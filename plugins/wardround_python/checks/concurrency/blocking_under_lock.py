from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property

from wardround.checks.source import SourceFile
from wardround.findings import Plane
from wardround.languages.python.module import FunctionNode, last_name, nodes_run_by
from wardround.languages.python.tree import cached_parse, unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.analysis.blocking_calls import WaitingCalls
from wardround_python.check import PythonCheck

_LOCK_NAME = LazyPattern(r"(^|_)(lock|mutex|rlock)$", re.IGNORECASE)
_LOCK_TYPES = frozenset({"threading.Lock", "threading.RLock"})
# Locks whose purpose is to serialize something outside the process.
_WAITS_BY_DESIGN = LazyPattern(
    r"rate_?limit|limiter|throttl|pace|wait|process_?lock|file_?lock", re.IGNORECASE
)

_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
_INSIDE = ("queue.", "threading.", "sqlalchemy.", "redis.")


class BlockingUnderLock(PythonCheck):
    """A lock is held during a call that waits for something outside the process.

    Every other thread that needs the lock waits as long as the network, the child process or the clock
    takes; one slow response stops them all. Make the call first, then take the lock for the modification
    only.
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
    def _reported_calls(self) -> set[ast.AST]:
        return set()

    @cached_property
    def _created_by(self) -> dict[str, str]:
        """Name or attribute -> the callable that created its value, for assigned calls of the module."""
        created: dict[str, str] = {}
        for node in walk(self.module.tree):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                for target in node.targets:
                    created[unparse(target)] = self.module.imported_name(node.value.func) or ""
        return created

    def visit_Try(self, node: ast.Try) -> None:
        """Check the body of a ``try`` that releases the lock in ``finally``."""
        for statement in node.finalbody:
            func = (
                statement.value.func
                if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
                else None
            )
            if isinstance(func, ast.Attribute) and func.attr == "release" and self._is_lock(func.value):
                self._check(node, func.value)

    def visit_With(self, node: ast.With) -> None:
        lock = next((item.context_expr for item in node.items if self._is_lock(item.context_expr)), None)
        if lock is not None:
            self._check(node, lock)
        elif any(_creates_lock(item.context_expr) for item in node.items):
            self._report_moved_calls(node)

    def _report_moved_calls(self, node: ast.With | ast.Try) -> None:
        """Report calls that the change moved under a lock whose purpose is waiting.

        A call that is also made before the lock is repeated under it on purpose, as another process may have
        done the work in the meantime.
        """
        for call in (n for n in nodes_run_by(node.body) if isinstance(n, ast.Call)):
            function = self.module.function_of(call)
            name = getattr(function, "name", None)
            text = unparse(call)
            is_moved = (name, text) in self._unlocked_before and not _is_called_before(node, text, function)
            if is_moved and self._waits(call) is not None:
                self._reported_calls.add(call)
                lock = unparse(getattr(node, "items", [node])[0])
                self.report(
                    self.module.span(call),
                    f"{self._waits(call)} now blocks while {lock} is held; move it out of the lock",
                )

    @cached_property
    def _unlocked_before(self) -> frozenset[tuple[str, str]]:
        """Calls only outside every ``with`` before the change, by function and source text."""
        base = self.source.base_text
        try:
            tree = cached_parse(base) if base is not None else None
        except _UNREADABLE:
            tree = None
        if tree is None:
            return frozenset()
        functions = [n for n in walk(tree) if isinstance(n, FunctionNode)]
        return frozenset(
            (function.name, text) for function in functions for text in _never_locked_calls(function)
        )

    def _check(self, node: ast.With | ast.Try, lock: ast.expr) -> None:
        if self._waits_on_purpose(node):
            self._report_moved_calls(node)
            return
        inside = list(nodes_run_by(node.body))
        awaited = next((n for n in inside if isinstance(n, ast.Await)), None)
        if awaited is not None:
            self._report_once(
                awaited,
                f"{unparse(lock)} is held across this await, so another task that takes it blocks "
                f"the event loop",
            )
        for call in inside:
            if isinstance(call, ast.Call) and call not in self._reported_calls:
                wait = self._waits(call)
                if wait is not None:
                    self._report_once(call, f"{wait} blocks while {unparse(lock)} is held; call it before")

    def _report_once(self, node: ast.expr, message: str) -> None:
        if node not in self._reported_calls:
            self._reported_calls.add(node)
            self.report(self.module.span(node), message)

    def _waits(self, call: ast.Call) -> str | None:
        """Describe the wait of a call, if it waits for something outside the process."""
        wait = self._waiting_calls.of(call) or self._waiting_calls.through(call, under_lock=True)
        return None if wait is None or wait.kind.startswith(_INSIDE) else wait.description

    @cached_property
    def _waiting_calls(self) -> WaitingCalls:
        return WaitingCalls(self.module, self.source.project)

    def _is_lock(self, node: ast.expr) -> bool:
        if not isinstance(node, (ast.Name, ast.Attribute)):
            return False
        created_by = self._created_by.get(unparse(node))
        if created_by is not None and created_by.startswith(("threading.", "multiprocessing.")):
            return created_by in _LOCK_TYPES
        last = node.attr if isinstance(node, ast.Attribute) else node.id
        return not created_by and _LOCK_NAME.search(last) is not None

    def _waits_on_purpose(self, node: ast.With | ast.Try) -> bool:
        named = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        names = [parent.name for parent in self.module.ancestors(node) if isinstance(parent, named)]
        names += [unparse(item.context_expr) for item in getattr(node, "items", ())]
        return any(_WAITS_BY_DESIGN.search(name) for name in names)


def _creates_lock(node: ast.expr) -> bool:
    """Return True if a ``with`` takes a lock it creates: ``FileLock(path)``, ``cache.lock("x")``."""
    return isinstance(node, ast.Call) and last_name(node.func).endswith(("Lock", "lock"))


def _is_called_before(block: ast.With | ast.Try, text: str, function: ast.AST | None) -> bool:
    """Return True if a function makes the same call outside every ``with`` before a block."""
    return isinstance(function, FunctionNode) and any(
        call.lineno < block.lineno and unparse(call) == text for call in _unlocked_calls(function)
    )


def _never_locked_calls(function: FunctionNode) -> set[str]:
    """Return the source of the calls that a function only makes outside of every ``with``."""
    unlocked = set(_unlocked_calls(function))
    calls = {node for node in nodes_run_by(function.body) if isinstance(node, ast.Call)}
    return set(map(unparse, unlocked)) - set(map(unparse, calls - unlocked))


def _unlocked_calls(function: FunctionNode) -> Iterator[ast.Call]:
    """Yield the calls of a function outside every ``with``."""
    blocks = (child for child in walk(function) if isinstance(child, (ast.With, ast.AsyncWith)))
    held = {id(inner) for block in blocks for inner in walk(block)}
    return (n for n in nodes_run_by(function.body) if isinstance(n, ast.Call) and id(n) not in held)
