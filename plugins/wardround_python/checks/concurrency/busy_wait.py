"""PY045: busy wait."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround.languages.python.module import FunctionNode, nodes_run_by
from wardround.languages.python.tree import unparse, walk
from wardround.rules.maturity import Maturity
from wardround_python.analysis.polling_loops import called_name
from wardround_python.check import PythonCheck

_CLOCKS = frozenset(
    {"time.monotonic", "time.time", "time.perf_counter", "datetime.datetime.now", "datetime.datetime.utcnow"}
)
# Calls that wait by themselves, or that do work in each iteration.
_WAITS = LazyPattern(
    r"\w*(wait|sleep|recv|receive|read|accept|get|next|select|poll|join|pop|fetch|take|consume|claim"
    r"|acquire|lock|step|tick|yield"
    r"|handle|process|run|work|pump|dispatch|drain|expire|pause|back_?off|nap|delay|block|idle|is_set|spin"
    r"|compute|advance|write|send)\w*"
)
_STATE_QUERIES = LazyPattern(
    r"_*(is|has|can|ready|done|finished|exists|available|reachable|healthy|up|alive|running|started"
    r"|replayed|caught_up|synced|connected"
    r"|check|ping|probe|test|state|status|set|setnx|complete|completed|locked|free|idle|active|open)(_\w+)?"
    r"|\w+_(ready|done|exists|finished|up|alive|available|healthy)"
)


class BusyWait(PythonCheck):
    """A loop polls a condition without a pause.

    Until the condition holds, the loop occupies a processor, and the polled service receives thousands of
    requests a second. Sleep between two polls, longer each time, or wait for an event.
    """

    ID = "PY045"
    NAME = "busy-wait"
    MATURITY = Maturity.PREVIEW
    WORDS = ("while ",)
    PLANE = Plane.PERF
    DEFECT_CLASS = "unbounded-retry"
    VALID = [
        code("""
            import time
            def f(end):
                while time.monotonic() < end:
                    if is_ready():
                        return
                    time.sleep(1)
        """),
        code("""
            def f(stack):
                while not is_done(stack):
                    stack.append(1)
        """),
    ]
    INVALID = [
        code("""
            def f(redis, k):
                «while» not redis.set(k, 1, nx=True):
                    continue
        """),
        code("""
            def f(job):
                «while» not job.is_done():
                    pass
        """),
    ]

    def visit_While(self, node: ast.While) -> None:
        if any(
            isinstance(n, (ast.Await, ast.Yield, ast.YieldFrom))
            for n in nodes_run_by([node.test, *node.body])
        ):
            return
        polled = self._polled_call(node)
        if polled is None or not self._is_poll(node, polled) or self._waits_itself(polled):
            return
        span = self.module.keyword_span(node, len("while"))
        self.report(span, f"{unparse(polled.func)}() is polled without a pause; sleep between two polls")

    def _polled_call(self, node: ast.While) -> ast.Call | None:
        """Return the polled call: in the loop's test, or in the condition of its exit."""
        test = _plain(node.test)
        actions = [statement for statement in node.body if not _does_nothing(statement)]
        if isinstance(test, ast.Call) and not self._is_clock(test) and not actions:
            return test
        is_endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
        if not is_endless and not any(map(self._is_clock, walk(node.test))):
            return None
        if len(actions) != 1 or not _is_exit(actions[0]):
            return None
        condition = _plain(actions[0].test)
        return condition if isinstance(condition, ast.Call) else None

    def _is_clock(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and self.module.imported_name(node.func) in _CLOCKS

    def _is_poll(self, node: ast.While, polled: ast.Call) -> bool:
        if any(k.arg and ("timeout" in k.arg or k.arg in ("block", "interval")) for k in polled.keywords):
            return False
        name = called_name(polled)
        is_lock = name in ("set", "setnx") and any(k.arg == "nx" for k in polled.keywords)
        if name in ("set", "setnx", "test") and not is_lock:
            return False
        return _STATE_QUERIES.fullmatch(name) is not None

    def _waits_itself(self, polled: ast.Call) -> bool:
        """Return True if the polled function, if it is of this module, waits by itself."""
        name = called_name(polled)
        helpers = [n for n in self.module.nodes if isinstance(n, FunctionNode) and n.name == name]
        return any(
            _WAITS.fullmatch(called_name(n)) is not None
            and called_name(n) not in ("get", "fetchone", "fetch", "read")
            for helper in helpers
            for n in _calls(helper)
        )


def _calls(function: FunctionNode) -> Iterator[ast.Call]:
    return (n for n in nodes_run_by(function.body) if isinstance(n, ast.Call))


def _plain(test: ast.expr) -> ast.expr:
    while True:
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test = test.operand
        elif isinstance(test, ast.Compare) and len(test.ops) == 1:
            test = test.left
        else:
            return test


def _does_nothing(statement: ast.stmt) -> bool:
    return isinstance(statement, (ast.Pass, ast.Continue)) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def _is_exit(statement: ast.stmt) -> TypeGuard[ast.If]:
    """Return True for a condition that leaves the loop."""
    if not isinstance(statement, ast.If) or statement.orelse:
        return False
    return isinstance(statement.body[-1], (ast.Return, ast.Break))
