from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property

from wardround.findings import Plane, Severity
from wardround.languages.python.module import FunctionNode, last_name, targets_of
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
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

    Tasks of one event loop switch only at an ``await``: under a lock of asyncio only modifications whose
    statement awaits are reported.

    After a fork only one thread is left in the child, and it may inherit a lock that another thread held.
    Functions that replace the lock or that run as hooks in the child therefore modify without it.
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
        locked: dict[_Key, list[str]] = defaultdict(list)
        unlocked: dict[_Key, list[ast.stmt | ast.expr]] = defaultdict(list)
        for modification, name in self._modifications():
            function = self.module.function_of(modification)
            if function is None:
                continue
            owner = self.module.class_of(function) if name.startswith("self.") else None
            if owner is None and name not in module_names:
                continue
            lock = self._lock_around(modification)
            if lock:
                locked[name, owner].append(lock)
            elif not self._is_exempt(function):
                unlocked[name, owner].append(modification)
        for key, modifications in unlocked.items():
            self._check(key[0], locked[key], modifications)

    def _check(self, name: str, locks: Sequence[str], modifications: Sequence[ast.stmt | ast.expr]) -> None:
        """Report added modifications outside the only lock, if most are under it."""
        if len(set(locks)) != 1:
            return
        lock = locks[0]
        others = [node for node in modifications if not self._replaces_lock(node, lock)]
        is_own = lock.startswith(f"{name}.") or f"{lock}.acquire(" in self.source.text
        if len(others) > len(locks) or is_own:
            return
        is_threaded = not self._is_of_event_loop(lock)
        for node in filter(self._is_added, others):
            if is_threaded or self._statement_awaits(node):
                message = f'"{name}" is modified under "{lock}" elsewhere; take the lock here too'
                self.report(self.module.span(node), message)

    def _is_added(self, node: ast.stmt | ast.expr) -> bool:
        return self.source.is_added(node.lineno)

    def _is_of_event_loop(self, lock: str) -> bool:
        """Return True for a lock that is entered with ``async with``."""
        return any(
            isinstance(node, ast.AsyncWith) and lock in [unparse(item.context_expr) for item in node.items]
            for node in self.module.nodes
        )

    def _statement_awaits(self, modification: ast.AST) -> bool:
        """Return True if the statement of a modification awaits."""
        around = self.module.ancestors(modification)
        statement = next((node for node in around if isinstance(node, ast.stmt)), modification)
        return any(isinstance(node, ast.Await) for node in walk(statement))

    def _modifications(self) -> Iterator[tuple[ast.stmt | ast.expr, str]]:
        """Yield the modifications of fields and module variables: entries, assignments and mutating calls."""
        for node in self.module.nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr in _MUTATING_METHODS and not self._is_event(unparse(node.func.value)):
                    yield node, unparse(node.func.value)
            elif isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(
                node.ctx, (ast.Store, ast.Del)
            ):
                yield node, unparse(node.value if isinstance(node, ast.Subscript) else node)

    def _is_event(self, modified: str) -> bool:
        """Return True if the name is an event, which threads share without a lock."""
        return (
            f"{modified} = threading.Event(" in self.source.text or f"{modified} = Event(" in self.source.text
        )

    def _lock_around(self, node: ast.AST) -> str:
        for parent in self.module.ancestors(node):
            if isinstance(parent, (ast.With, ast.AsyncWith)):
                for item in parent.items:
                    text = unparse(item.context_expr)
                    if _LOCK.search(text):
                        return text
            if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
                return ""
        return ""

    def _is_exempt(self, function: FunctionNode | ast.Lambda) -> bool:
        """Return True if no other thread runs yet, or the lock is acquired in another way or by callers."""
        if isinstance(function, ast.Lambda) or _EXEMPT_FUNCTIONS.search(function.name):
            return True
        if function.name in self._hooks_in_child:
            return True
        text = unparse(function)
        return ".acquire(" in text or "lock held" in text.lower() or self._is_called_under_lock(function.name)

    @cached_property
    def _hooks_in_child(self) -> frozenset[str]:
        """Names of the functions that ``os.register_at_fork`` runs, or calls, in the child."""
        return frozenset(
            last_name(part)
            for node in self.module.nodes
            if isinstance(node, ast.Call) and self.module.imported_name(node.func) == "os.register_at_fork"
            for keyword in node.keywords
            if keyword.arg == "after_in_child"
            for part in walk(keyword.value)
            if isinstance(part, (ast.Name, ast.Attribute))
        )

    def _replaces_lock(self, modification: ast.AST, lock: str) -> bool:
        """Return True if the function of a modification replaces the lock, as for the child of a fork."""
        function = self.module.function_of(modification)
        return function in self._functions_with_new_lock.get(lock, ())

    @cached_property
    def _functions_with_new_lock(self) -> dict[str, list[FunctionNode | ast.Lambda]]:
        """The functions that assign a new lock to a field or a global, by the name of the lock."""
        found: dict[str, list[FunctionNode | ast.Lambda]] = {}
        for statement in self.module.nodes:
            if not isinstance(statement, (ast.Assign, ast.AnnAssign)):
                continue
            function = self.module.function_of(statement)
            if function is None or not isinstance(statement.value, ast.Call):
                continue
            for target in targets_of(statement):
                if isinstance(target, ast.Attribute) or _is_global(target, function):
                    found.setdefault(unparse(target), []).append(function)
        return found

    def _is_called_under_lock(self, name: str) -> bool:
        return any(
            isinstance(node, ast.Call)
            and (node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", ""))
            == name
            and self._lock_around(node)
            for node in self.module.nodes
        )


def _stored_names(statement: ast.stmt) -> Iterator[str]:
    yield from (target.id for target in targets_of(statement) if isinstance(target, ast.Name))


def _is_global(target: ast.expr, function: FunctionNode | ast.Lambda) -> bool:
    """Return True if a function declares the assigned name as global."""
    return isinstance(target, ast.Name) and any(
        isinstance(node, ast.Global) and target.id in node.names for node in walk(function)
    )
