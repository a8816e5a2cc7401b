"""PY007: unclosed on error."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from wardround.checks.cases import code
from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode, last_name, nodes_run_by
from wardround.languages.python.tree import unparse, walk
from wardround_python.check import PythonCheck
from wardround_python.libraries.resources import (
    BORROWERS,
    CLOSERS,
    ENDERS,
    HELD,
    LENT,
    LOCK_NAME,
    MADE,
    MAY_STAY,
    OPENERS,
)

_CAN_RAISE = (ast.Call, ast.Await, ast.Raise, ast.Return, ast.Yield, ast.YieldFrom)
_WORDS = (
    "open(",
    "connect(",
    ".close()",
    "acquire()",
    "getconn(",
    "connection(",
    "mkdtemp(",
    "checkout(",
    "borrow(",
    "Executor(",
    "Pool(",
    "Session",
    "Client(",
    "socket(",
    "SMTP",
    "FTP",
    "ZipFile(",
    "File(",
)
_HANDING_OVER = frozenset({"detach"})
"""Methods after which the object owns nothing that has to be closed."""
_PLAIN_ATTRIBUTES = frozenset({"name", "mode", "encoding", "closed", "status", "headers", "filename"})


class UnclosedOnError(PythonCheck):
    """A file or connection stays open if an error occurs before it is closed.

    ``close()`` runs only if nothing before it raises. After an error the handle stays open, with its lock or
    its unwritten data, for as long as the traceback exists. Open it in a ``with`` block.
    """

    ID = "PY007"
    NAME = "unclosed-on-error"
    WORDS = _WORDS
    DEFECT_CLASS = "unclosed-resource"
    VALID = [
        code("""
            def f(p):
                with open(p) as x:
                    return x.read()
        """),
        code("""
            def f(p):
                x = open(p)
                try:
                    g(x.read())
                finally:
                    x.close()
        """),
    ]
    INVALID = [
        code("""
            from pathlib import Path
            class Reader:
                def __init__(self, path: Path):
                    self.file = «path.open('rb')»
                    self.count = self._header()

                def _header(self):
                    if not self.file.read(4):
                        raise CutOff()
        """),
        code("""
            import aiohttp
            async def log_in(session):
                return await session.post('a')

            async def read():
                session = «aiohttp.ClientSession()»
                await log_in(session)
                await session.close()
        """),
    ]

    def visit_Assign(self, node: ast.Assign) -> None:
        function = self.module.function_of(node)
        if not isinstance(function, FunctionNode) or self.module.class_of(node) is not None:
            return
        target, value = node.targets[0], node.value
        call = value.value if isinstance(value, ast.Await) else value
        if not isinstance(call, ast.Call) or len(node.targets) > 1:
            return
        if not isinstance(target, ast.Name):
            self._check_maker(node, call, target, function)
            return
        if (opener := self._opener(call)) is not None:
            self._check_opened(node, call, target.id, function, opener)
        elif last_name(call.func) in LENT:
            self._check_pooled(node, call, target.id, function)
        elif (creation := self.module.imported_name(_wrapped(call).func)) in MADE:
            gives_back = [
                c
                for c in _calls_in(function)
                if _passes_first(c, target.id) and self._undoes(c, creation or "")
            ]
            self._check_release(node, call, target.id, gives_back)

    def visit_Expr(self, node: ast.Expr) -> None:
        """Report a lock that is acquired, and released later without a ``try``."""
        call = node.value
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.args:
            return
        lock = unparse(call.func.value)
        function = self.module.function_of(node)
        if call.func.attr != "acquire" or call.keywords or not isinstance(function, FunctionNode):
            return
        if LOCK_NAME.search(lock.rpartition(".")[2]):
            released = [c for c in _calls_in(function) if unparse(c.func) == f"{lock}.release"]
            self._check_release(node, call, lock, released, "held")

    def _check_maker(
        self, node: ast.Assign, call: ast.Call, target: ast.expr, function: FunctionNode
    ) -> None:
        """Report a resource that ``__init__`` opens before it raises: no caller has an object to close."""
        if function.name != "__init__" or node not in function.body or not isinstance(target, ast.Attribute):
            return
        opener = self._opener(call)
        if opener not in HELD or unparse(target.value) != "self":
            return
        for later in function.body[function.body.index(node) + 1 :]:
            for step in nodes_run_by([later]):
                if isinstance(step, (ast.Try, ast.With)):
                    return
                if isinstance(step, ast.Raise) or (isinstance(step, ast.Call) and self._refuses(step)):
                    message = (
                        f"{unparse(target)} stays open if line {step.lineno} raises; "
                        "close it before the error leaves"
                    )
                    self.report(self.module.span(call), message)
                    return

    def _refuses(self, call: ast.Call) -> bool:
        """Return True if a method of the class raises itself."""
        if not unparse(call.func).startswith("self."):
            return False
        result = self.callees.definition_of(call)
        return result is not None and any(isinstance(n, ast.Raise) for n in walk(result.node))

    def _check_opened(
        self, node: ast.Assign, call: ast.Call, name: str, function: FunctionNode, opener: str
    ) -> None:
        rest = _after(self.module.parents[node], node)
        end = next((n for n, later in enumerate(rest) if _closes(later, name, _closers(opener))), 0)
        risk = next((n for n in nodes_run_by(rest[:end]) if isinstance(n, _CAN_RAISE)), None)
        if risk is not None and self._stays_here(function, name, opener, 1):
            left = "returns" if isinstance(risk, ast.Return) else "raises"
            message = f'"{name}" from {opener}() stays open if line {risk.lineno} {left}'
            self.report(self.module.span(call), f"{message}; close it in a finally")
        elif not end and opener not in MAY_STAY and self._stays_here(function, name, opener, 0):
            message = f'"{name}" from {opener}() is never closed; use with'
            self.report(self.module.span(call), message, severity=Severity.INFO)

    def _check_pooled(self, node: ast.Assign, call: ast.Call, name: str, function: FunctionNode) -> None:
        """Report a resource that must be returned to its pool."""
        ways = LENT[last_name(call.func)]
        values = [
            c
            for c in _calls_in(function)
            if isinstance(c.func, ast.Attribute)
            and c.func.attr in ways
            and (_passes_first(c, name) or unparse(c.func.value) == name)
        ]
        if not values and last_name(call.func) == "getconn" and self._is_private(function, name):
            self.report(self.module.span(call), f'"{name}" is never returned to the pool')
        self._check_release(node, call, name, values)

    def _check_release(
        self, node: ast.stmt, call: ast.Call, name: str, releases: Sequence[ast.Call], state: str = "taken"
    ) -> None:
        """Report a resource that is released later at one position that an error skips."""
        if len(releases) != 1:
            return
        rest = _after(self.module.parents[node], node)
        last = self.module.parents[releases[0]]
        last = self.module.parents[last] if isinstance(last, ast.Await) else last
        if last not in rest:
            return
        between = nodes_run_by(rest[: rest.index(last)])
        risk = next((n for n in between if isinstance(n, _CAN_RAISE)), None)
        if risk is not None:
            left = "returns" if isinstance(risk, ast.Return) else "raises"
            undone = f"{unparse(releases[0].func)}() is not in a finally"
            self.report(
                self.module.span(call), f'"{name}" stays {state} if line {risk.lineno} {left}: {undone}'
            )

    def _is_private(self, function: FunctionNode, name: str) -> bool:
        """Return True if the function calls only methods of a name and passes it to no other code."""
        uses = [n for n in walk(function) if isinstance(n, ast.Name) and n.id == name]
        loads = [use for use in uses if isinstance(use.ctx, ast.Load)]
        return len(loads) == len(uses) - 1 and all(
            isinstance(self.module.parents[use], (ast.Attribute, ast.withitem)) for use in loads
        )

    def _undoes(self, call: ast.Call, made: str) -> bool:
        return self.module.imported_name(call.func) in MADE[made]

    def _opener(self, call: ast.Call) -> str | None:
        """Return the name of the function with which a call opens something."""
        if isinstance(call.func, ast.Name) and call.func.id == "open":
            return "open"
        name = self.module.imported_name(call.func)
        if name in OPENERS:
            return name
        is_path = isinstance(call.func, ast.Attribute) and call.func.attr == "open"
        if is_path and self._is_path(call.func):
            return "open"
        return self._opened_elsewhere(call) if self.source.is_added(call.lineno) else None

    def _opened_elsewhere(self, call: ast.Call) -> str | None:
        """Return the opener of a resource that a function of the module opens and returns."""
        result = self.callees.definition_of(call)
        if result is None or result.path != self.source.path or not isinstance(result.node, FunctionNode):
            return None
        if result.node.decorator_list:
            return None
        returns = [n.value for n in nodes_run_by(result.node.body) if isinstance(n, ast.Return)]
        openers = {self._direct_opener(item) for item in returns}
        return next(iter(openers - {""})) if openers and "" not in openers and None not in openers else None

    def _direct_opener(self, value: ast.expr | None) -> str:
        """Return the opener of a value that is returned as it is opened."""
        call = value.value if isinstance(value, ast.Await) else value
        if not isinstance(call, ast.Call):
            return ""
        if isinstance(call.func, ast.Name) and call.func.id == "open":
            return "open"
        name = self.module.imported_name(call.func) or ""
        is_path = isinstance(call.func, ast.Attribute) and call.func.attr == "open"
        if is_path and self._is_path(call.func):
            return "open"
        return name if name in OPENERS else ""

    def _is_path(self, func: ast.expr) -> bool:
        """Return True if ``open`` is the method of a path, by the value or the name of its receiver."""
        assert isinstance(func, ast.Attribute)
        if not isinstance(func.value, ast.Name):
            return False
        function = self.module.function_of(func)
        arguments = function.args.args if isinstance(function, FunctionNode) else []
        kinds = [a.annotation for a in arguments if a.arg == func.value.id and a.annotation is not None]
        if kinds and unparse(kinds[0]) in ("Path", "pathlib.Path"):
            return True
        value = self.module.assigned.get(func.value.id, [])
        return any(isinstance(item, ast.BinOp) and isinstance(item.op, ast.Div) for item in value) or any(
            isinstance(element, ast.Call) and self.module.imported_name(element.func) == "pathlib.Path"
            for element in value
        )

    def _stays_here(self, function: FunctionNode, name: str, opener: str, closed: int) -> bool:
        """Return True if only the function owns it: one assignment, the given closes, no other owner."""
        uses = [n for n in walk(function) if isinstance(n, ast.Name) and n.id == name]
        loads = [use for use in uses if isinstance(use.ctx, ast.Load)]
        closes = [use for use in loads if getattr(self.module.parents[use], "attr", None) in _closers(opener)]
        return (
            len(uses) == len(loads) + 1
            and bool(loads)
            and len(closes) == closed
            and all(self.module.function_of(use) is function and self._only_uses(use) for use in loads)
        )

    def _only_uses(self, use: ast.Name) -> bool:
        parent = self.module.parents[use]
        if isinstance(parent, ast.Attribute):
            called = self.module.parents[parent]
            is_called = isinstance(called, ast.Call) and called.func is parent
            return parent.attr in _PLAIN_ATTRIBUTES or (is_called and parent.attr not in _HANDING_OVER)
        if isinstance(parent, (ast.For, ast.comprehension)):
            return parent.iter is use
        if isinstance(parent, ast.Yield):
            lender = self.module.function_of(use)
            return any("contextmanager" in unparse(item) for item in getattr(lender, "decorator_list", ()))
        call = self.module.parents[parent] if isinstance(parent, ast.keyword) else parent
        if not isinstance(call, ast.Call):
            return False
        return self.module.dotted(call.func) in BORROWERS or self._is_only_used_by(call, use)

    def _is_only_used_by(self, call: ast.Call, use: ast.Name) -> bool:
        """Return True if a function of the project only calls methods of its parameter."""
        result = self.callees.definition_of(call) if use in call.args else None
        if result is None or not isinstance(result.node, FunctionNode) or result.node.decorator_list:
            return False
        names = [a.arg for a in (*result.node.args.posonlyargs, *result.node.args.args)][result.is_method :]
        place = call.args.index(use)
        if place >= len(names) or any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in walk(result.node)):
            return False
        inside = list(walk(result.node))
        loads = [n for n in inside if isinstance(n, ast.Name) and n.id == names[place]]
        called = {
            n.func.value for n in inside if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)
        }
        closes = any(isinstance(n, ast.Attribute) and n.value in loads and n.attr in CLOSERS for n in inside)
        return bool(loads) and all(n in called for n in loads) and not closes


def _after(parent: ast.AST, statement: ast.stmt) -> list[ast.stmt]:
    """Return the statements after one in its block."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(parent, name, None)
        if isinstance(block, list) and statement in block:
            return block[block.index(statement) + 1 :]
    return []


def _wrapped(call: ast.Call) -> ast.Call:
    """Return the call inside ``Path(...)``, if that only converts a text to a path."""
    inner = call.args[0] if len(call.args) == 1 and last_name(call.func) == "Path" else call
    return inner if isinstance(inner, ast.Call) else call


def _closers(opener: str) -> frozenset[str]:
    """Return the methods that close a resource; ``shutdown`` of a socket closes nothing."""
    return ENDERS if opener.endswith(("Executor", "Pool")) else CLOSERS


def _closes(statement: ast.stmt, name: str, closers: frozenset[str]) -> bool:
    call = statement.value if isinstance(statement, ast.Expr) else None
    call = call.value if isinstance(call, ast.Await) else call
    called = call.func if isinstance(call, ast.Call) else None
    return (
        isinstance(called, ast.Attribute)
        and called.attr in closers
        and isinstance(called.value, ast.Name)
        and called.value.id == name
    )


def _calls_in(function: FunctionNode) -> list[ast.Call]:
    return [n for n in walk(function) if isinstance(n, ast.Call)]


def _passes_first(call: ast.Call, name: str) -> bool:
    """Return True if a call has a name as its first argument."""
    return bool(call.args) and isinstance(call.args[0], ast.Name) and call.args[0].id == name
