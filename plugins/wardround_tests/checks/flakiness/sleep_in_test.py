from __future__ import annotations

import ast
import re
from functools import cached_property

from wardround.checks.source import SourceFile
from wardround.findings import Plane, Severity
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.python_tests import TestCase
from wardround_tests.models.syntax import FUNCTIONS, body_of, last_name, own_nodes

_SLEEPS = frozenset(
    {"time.sleep", "asyncio.sleep", "anyio.sleep", "trio.sleep", "gevent.sleep", "eventlet.sleep"}
)
_RUNNING = frozenset({"gather", "run", "run_until_complete", "async_to_sync"})
"""Functions that run a coroutine argument and wait for it."""
_WAITS_MS = frozenset({"wait_for_timeout", "qWait"})
"""Methods that wait for milliseconds, in tools that drive browsers and windows."""
_SHORTEST_S = 0.1
"""Shortest reported sleep in seconds; a shorter one only yields."""
_SLOW_S = 0.5
"""Duration in seconds from which a hundred such tests cost a minute."""
_ABOUT_TIME = LazyPattern(
    r"(?i)time|sleep|slow|expir|ttl|delay|throttl|rate|durat|elaps|timing|wait|poll|lag|age|"
    r"retry|backoff|keepalive|idle|interval|schedul|clock|heartbeat|lease"
)


class SleepInTest(PythonTestCheck):
    """A test waits for a fixed time instead of a condition.

    On a busy machine the time is too short and the test fails intermittently; elsewhere it is wasted in every
    run. Wait for the event, the queue or the condition with a timeout, or control the clock.
    """

    ID = "TE006"
    NAME = "sleep-in-test"
    SEVERITY = Severity.INFO
    PLANE = Plane.TESTS
    VALID = [
        code("""
            import time
            def test_job():
                time.sleep(0.01)
                assert job.done
        """),
        code("""
            import asyncio
            async def test_job():
                await asyncio.sleep(0)
                assert job.done
        """),
    ]
    INVALID = [
        code("""
            import time
            PAUSE = 2
            def settle():
                «time.sleep(PAUSE)»
            def test_job():
                start()
                settle()
                assert job.done
        """),
        code("""
            def test_open(page):
                page.goto('/a', wait_until=«'networkidle'»)
                assert page.title() == 'a'
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return "sleep" in source.text or "wait" in source.text

    def visit_Call(self, node: ast.Call) -> None:
        name, unit = self._waits(node)
        if not name or not self.module.runs_in_tests(node):
            return
        holder = self.module.function_of(node)
        seconds = self._seconds(_duration(node), holder) if isinstance(holder, FUNCTIONS) else None
        if seconds is None or seconds * unit < _SHORTEST_S or not isinstance(holder, FUNCTIONS):
            return
        self._report(node, holder, f"{name}({seconds:g})", seconds * unit)

    def visit_Constant(self, node: ast.Constant) -> None:
        """Report waits for an idle network, which does not mean that the page is ready."""
        parent = self.module.parents.get(node)
        is_wait_option = isinstance(parent, ast.keyword) and parent.arg == "wait_until"
        is_state = isinstance(parent, ast.Call) and last_name(parent.func) == "wait_for_load_state"
        if node.value == "networkidle" and (is_wait_option or is_state) and self.module.runs_in_tests(node):
            text = "an idle network does not mean that the page is ready; wait for an element"
            self.report(self.module.span(node), text, severity=Severity.INFO)

    def check_test(self, case: TestCase) -> None:
        """Report calls of a helper of the module that only sleeps for its argument."""
        for node in self.module.nodes_of(case) if self._sleepers else ():
            match node:
                case ast.Call(args=[argument]) if last_name(node.func) in self._sleepers:
                    seconds = self._seconds(argument, case.node)
                    if seconds is not None and seconds >= _SHORTEST_S:
                        name = last_name(node.func)
                        self._report(node, case.node, f"{name}({seconds:g})", seconds)

    def _report(self, node: ast.Call, holder: FunctionNode, what: str, seconds: float) -> None:
        header = self.module.text_of(holder).partition("\n")[0]
        if self._is_intended(node, header) or _patches_sleep(holder):
            return
        cls = self.module.class_of(holder)
        is_mild = seconds < _SLOW_S or _ABOUT_TIME.search(holder.name + (cls.name if cls else ""))
        text = f"{what} in a test; wait for the condition instead"
        self.report(self.module.span(node), text, severity=Severity.INFO if is_mild else None)

    def _waits(self, node: ast.Call) -> tuple[str, float]:
        """Return the waiting function, as called, and its unit in seconds."""
        name = self.module.imported_name(node.func) or ""
        if name in _SLEEPS:
            return name, 1.0
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr in _WAITS_MS:
            return unparse(function), 0.001
        if isinstance(function, ast.Attribute) and function.attr == "wait":
            owner = function.value
            if isinstance(owner, ast.Call) and self.module.imported_name(owner.func) == "threading.Event":
                return unparse(function), 1.0
        return "", 0.0

    def _seconds(self, value: ast.expr | None, holder: FunctionNode) -> float | None:
        """Return how long a call waits; unknown terms of a sum count as 0."""
        match value:
            case ast.Constant(value=bool()):
                return None
            case ast.Constant(value=int() | float() as number):
                return float(number)
            case ast.Name(id=name):
                return self._seconds_of_name(name, holder)
            case ast.BinOp():
                return self._seconds_of_operation(value, holder)
        return None

    def _seconds_of_operation(self, operation: ast.BinOp, holder: FunctionNode) -> float | None:
        left = self._seconds(operation.left, holder)
        right = self._seconds(operation.right, holder)
        if isinstance(operation.op, ast.Add):
            known = [term for term in (left, right) if term is not None]
            return sum(known) if known else None
        if isinstance(operation.op, ast.Mult) and left is not None and right is not None:
            return left * right
        return None

    def _seconds_of_name(self, name: str, holder: FunctionNode) -> float | None:
        """Return the duration that a parameter has by default, or that a module variable has."""
        if name in (argument.arg for argument in holder.args.args):
            default = _default_of(holder, name)
            return self._seconds(default, holder) if isinstance(default, ast.Constant) else None
        values = self.module.assigned.get(name, [])
        is_known = len(values) == 1 and not isinstance(values[0], ast.Name)
        return self._seconds(values[0], holder) if is_known else None

    @cached_property
    def _sleepers(self) -> frozenset[str]:
        """Helpers of the module that only sleep for the duration in their one argument."""
        return frozenset(
            function.name
            for function in self.module.tree.body
            if isinstance(function, FUNCTIONS) and len(body_of(function)) == 1 and self._only_sleeps(function)
        )

    def _only_sleeps(self, function: FunctionNode) -> bool:
        """Return True if a function waits for its only argument."""
        calls = [node for node in own_nodes(body_of(function)) if isinstance(node, ast.Call)]
        waits = [call for call in calls if self._waits(call)[0]]
        duration = _duration(waits[0]) if waits else None
        parameters = [argument.arg for argument in function.args.args]
        return isinstance(duration, ast.Name) and parameters == [duration.id]

    def _is_intended(self, node: ast.Call, header: str) -> bool:
        """Return True if the sleep is part of polling, or is itself to be interrupted."""
        for parent in self.module.ancestors(node):
            if isinstance(parent, (ast.While, ast.For, ast.AsyncFor, ast.ExceptHandler)):
                return True
            if isinstance(parent, (ast.With, ast.AsyncWith)):
                names = " ".join(unparse(item.context_expr) for item in parent.items)
                if re.search(r"(?i)timeout|raises|cancel|fail_after|move_on|deadline|patch", names):
                    return True
            if isinstance(parent, ast.Call) and last_name(parent.func) not in _RUNNING:
                return True
        return False


def _default_of(function: FunctionNode, name: str) -> ast.expr | None:
    """Return the default of a parameter."""
    arguments = function.args
    named = arguments.args[len(arguments.args) - len(arguments.defaults) :]
    return next(
        (value for argument, value in zip(named, arguments.defaults, strict=True) if argument.arg == name),
        None,
    )


def _duration(call: ast.Call) -> ast.expr | None:
    """Return the duration argument of a waiting call."""
    named = (k.value for k in call.keywords if k.arg in ("secs", "seconds", "delay", "timeout"))
    return call.args[0] if call.args else next(named, None)


def _patches_sleep(function: FunctionNode) -> bool:
    return any(
        "sleep" in unparse(decorator) or "time" in unparse(decorator) for decorator in function.decorator_list
    )
