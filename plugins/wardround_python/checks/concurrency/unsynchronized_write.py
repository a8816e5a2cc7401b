"""PY392: unsynchronized write."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import walk
from wardround_python.check import PythonCheck

_LOCK = LazyPattern(r"(?i)(^|[_.])r?(lock|mutex)$")
_MUTATING_METHODS = frozenset(
    {
        "append",
        "extend",
        "insert",
        "pop",
        "popitem",
        "remove",
        "discard",
        "add",
        "update",
        "setdefault",
        "clear",
    }
)
_EXEMPT_FUNCTIONS = LazyPattern(
    r"^(__init__|__new__|__enter__|__setstate__|setup|reset|_?init\w*|on_startup|startup|start|_?open|connect|\w*_locked|_unlocked\w*)$"
)


_Key = tuple[str, ast.AST | None]
"""Name of a field or variable, and its class."""


class UnsynchronizedWrite(PythonCheck):
    """A field or variable that is modified under a lock elsewhere is modified here without it.

    The lock then protects nothing: another thread can be in the middle of its own update. Take the same
    lock here, or move the update to a function that does.

    Tasks of one event loop change places only at an ``await``: under a lock of asyncio only modifications
    whose statement awaits are reported.
    """

    ID = "PY392"
    NAME = "unsynchronized-write"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "race"
    WORDS = ("lock:", "mutex:", "Lock:", "LOCK:")
    VALID = [
        code("""
            class A:
                def put(self, x):
                    with self._lock:
                        self._rows.append(x)

                def take(self):
                    with self._lock:
                        return self._rows.pop()
        """),
        code("""
            class A:
                def on_startup(self):
                    self._closing = False

                def on_shutdown(self):
                    with self._lock:
                        self._closing = True
        """),
    ]
    INVALID = [
        code("""
            class A:
                def put(self):
                    with self.lock:
                        self.count += 1

                def drop(self):
                    «self.count» -= 1
        """),
        code("""
            class A:
                def put(self, x):
                    with self._lock:
                        self._rows.append(x)

                def drop(self):
                    «self._rows.clear()»
        """),
    ]

    def visit_Module(self, node: ast.Module) -> None:
        module_names = {name for statement in node.body for name in _stored_names(statement)}
        locked: dict[_Key, list[str]] = {}
        unlocked: dict[_Key, list[ast.stmt | ast.expr]] = {}
        for modification, name in self._modifications():
            function = self.module.function_of(modification)
            if function is None:
                continue
            owner = self.module.class_of(function) if name.startswith("self.") else None
            if owner is None and name not in module_names:
                continue
            lock = self._lock_around(modification)
            if lock:
                locked.setdefault((name, owner), []).append(lock)
            elif not self._is_exempt(function):
                unlocked.setdefault((name, owner), []).append(modification)
        for key, modifications in unlocked.items():
            self._check(key[0], locked.get(key, []), modifications)

    def _check(self, name: str, locks: Sequence[str], modifications: Sequence[ast.stmt | ast.expr]) -> None:
        """Report added modifications outside the only lock, if most are under it."""
        if len(set(locks)) != 1 or len(modifications) > len(locks):
            return
        is_own = locks[0].startswith(f"{name}.") or f"{locks[0]}.acquire(" in self.source.text
        is_threaded = not self._is_of_event_loop(locks[0])
        for modification in modifications if not is_own else ():
            if self.source.is_added(modification.lineno) and (is_threaded or self._awaits(modification)):
                message = f'"{name}" is modified under "{locks[0]}" elsewhere; take the lock here too'
                self.report(self.module.span(modification), message)

    def _is_of_event_loop(self, lock: str) -> bool:
        """Return True for a lock that is entered with ``async with``."""
        return any(
            isinstance(node, ast.AsyncWith)
            and lock in [ast.unparse(item.context_expr) for item in node.items]
            for node in self.module.nodes
        )

    def _awaits(self, modification: ast.AST) -> bool:
        """Return True if the statement of a modification awaits."""
        around = self.module.ancestors(modification)
        statement = next((node for node in around if isinstance(node, ast.stmt)), modification)
        return any(isinstance(node, ast.Await) for node in walk(statement))

    def _modifications(self) -> Iterator[tuple[ast.stmt | ast.expr, str]]:
        """Yield the modifications of fields and module variables: entries, assignments and mutating calls."""
        for node in self.module.nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr in _MUTATING_METHODS and not self._is_event(ast.unparse(node.func.value)):
                    yield node, ast.unparse(node.func.value)
            elif isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(
                node.ctx, (ast.Store, ast.Del)
            ):
                yield node, ast.unparse(node.value if isinstance(node, ast.Subscript) else node)

    def _is_event(self, modified: str) -> bool:
        """Return True if the name is an event, which threads share without a lock."""
        return (
            f"{modified} = threading.Event(" in self.source.text or f"{modified} = Event(" in self.source.text
        )

    def _lock_around(self, node: ast.AST) -> str:
        for parent in self.module.ancestors(node):
            if isinstance(parent, (ast.With, ast.AsyncWith)):
                for item in parent.items:
                    text = ast.unparse(item.context_expr)
                    if _LOCK.search(text):
                        return text
            if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
                return ""
        return ""

    def _is_exempt(self, function: FunctionNode | ast.Lambda) -> bool:
        """Return True if no other thread runs yet, or the lock is acquired in another way or by callers."""
        if isinstance(function, ast.Lambda) or _EXEMPT_FUNCTIONS.search(function.name):
            return True
        text = ast.unparse(function)
        return ".acquire(" in text or "lock held" in text.lower() or self._is_called_under_lock(function.name)

    def _is_called_under_lock(self, name: str) -> bool:
        return any(
            isinstance(node, ast.Call)
            and (node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", ""))
            == name
            and self._lock_around(node)
            for node in self.module.nodes
        )


def _stored_names(statement: ast.stmt) -> Iterator[str]:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    yield from (one.id for one in targets if isinstance(one, ast.Name))
