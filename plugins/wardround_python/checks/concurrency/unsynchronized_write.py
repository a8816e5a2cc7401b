"""PY392."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.languages.python.module import FunctionNode
from wardround_python.check import PythonCheck

_LOCK = LazyPattern(r"(?i)(^|[_.])r?(lock|mutex)$")
_CHANGES = frozenset(
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
_BEGINNINGS = LazyPattern(
    r"^(__init__|__new__|__enter__|__setstate__|setup|reset|_?init\w*|on_startup|startup|start|_?open|connect|\w*_locked|_unlocked\w*)$"
)


class UnsynchronizedWrite(PythonCheck):
    """Something that is changed under a lock everywhere else is changed here without it.

    The lock then protects nothing: another thread can be in the middle of its own change. Take the same lock
    here, or hand the change to a function that does.
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
        at_top = {name for one in node.body for name in _stored_names(one)}
        held: dict[tuple[str, ast.AST | None], list[str]] = {}
        free: dict[tuple[str, ast.AST | None], list[ast.stmt | ast.expr]] = {}
        for place, what in self._changes():
            function = self.module.function_of(place)
            if function is None:
                continue
            owner = self.module.class_of(function) if what.startswith("self.") else None
            if owner is None and what not in at_top:
                continue
            lock = self._lock_around(place)
            if lock:
                held.setdefault((what, owner), []).append(lock)
            elif not self._is_excused(function):
                free.setdefault((what, owner), []).append(place)
        for key, places in free.items():
            locks = held.get(key, [])
            is_own = any(
                lock.startswith(f"{key[0]}.") or f"{lock}.acquire(" in self.source.text for lock in locks
            )
            if locks and not is_own and len(set(locks)) == 1 and len(places) <= len(locks):
                for place in places:
                    if self.source.is_added(place.lineno):
                        said = f'"{key[0]}" is changed under "{locks[0]}" elsewhere, and here without'
                        self.report(self.module.span(place), said)

    def _changes(self) -> Iterator[tuple[ast.stmt | ast.expr, str]]:
        """Where a field or a variable of the module is changed: entries, counters, and calls that change."""
        for node in self.module.nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr in _CHANGES and not self._is_event(ast.unparse(node.func.value)):
                    yield node, ast.unparse(node.func.value)
            elif isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(
                node.ctx, (ast.Store, ast.Del)
            ):
                yield node, ast.unparse(node.value if isinstance(node, ast.Subscript) else node)

    def _is_event(self, what: str) -> bool:
        """Whether something is an event, which threads share without a lock."""
        return f"{what} = threading.Event(" in self.source.text or f"{what} = Event(" in self.source.text

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

    def _is_excused(self, function: FunctionNode | ast.Lambda) -> bool:
        """Whether nobody else can be there yet, or the lock is taken in another way, or by the callers."""
        if isinstance(function, ast.Lambda) or _BEGINNINGS.search(function.name):
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
