from __future__ import annotations

import ast

from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.languages.python.tree import children, unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.python_tests import TestCase
from wardround_tests.models.syntax import either_order, equality_operands, last_name

_CLOCKS = frozenset(
    {
        "time.time",
        "time.time_ns",
        "time.monotonic",
        "time.perf_counter",
        "datetime.datetime.now",
        "datetime.datetime.utcnow",
        "datetime.datetime.today",
        "datetime.date.today",
        "django.utils.timezone.now",
        "django.utils.timezone.localdate",
        "django.utils.timezone.localtime",
        "pendulum.now",
        "pendulum.today",
        "arrow.now",
        "arrow.utcnow",
        "pandas.Timestamp.now",
        "pandas.Timestamp.today",
        "time.localtime",
        "time.gmtime",
        "whenever.Instant.now",
    }
)
_FROZEN = LazyPattern(r"freez|time_machine|travel|mock_(time|now|clock)|patch[^\n]*(time|now|today)")
_WAITING = LazyPattern(r"^_*(avoid|skip|wait)\w*_(second|minute|hour|day|midnight|boundary)")
"""Names of functions that wait if the compared unit of time is about to end."""
_OF_ZONES = frozenset({"tzinfo", "tzname", "utcoffset", "dst"})
"""Attributes and methods of a time that depend on the time zone, not on the moment."""
_RELATIVE = LazyPattern(
    r"(?i)\b(ago|yesterday|today|tomorrow|just now|from now|days?|hours?|minutes?|weeks?|months?|years?)\b"
)
"""Words for relative times."""
_AGES = LazyPattern(
    r"^(get_|current_|compute_|calculate_)?(age|age_in_\w+|years_old|days_(left|until|since|remaining|old|overdue|ago)|"
    r"years_(since|of_service)|time_left|days_to_\w+)$"
)
_FIXED_DATE = LazyPattern(r"\bdate(time)?\(\s*\d{4}|[\"'](19|20)\d\d-\d\d-\d\d")
_PAUSE_S = 0.5
"""Duration, in seconds, for which a busy machine may suspend a process."""


class RealClockInTest(PythonTestCheck):
    """An assertion depends on the current time or on the load of the machine.

    An equality comparison with the clock fails when a second, a day or a year begins between the two
    readings, and a tight limit on a duration fails on a busy machine. Freeze the clock, pass the time as an
    argument, or count the work instead of the time.
    """

    ID = "TE007"
    NAME = "real-clock-in-test"
    VALID = [
        code("""
            from datetime import date
            from people import age
            def test_age():
                assert age(date(1990, 6, 1), on=date(2024, 6, 1)) == 34
        """),
        code("""
            import time
            def test_fast():
                start = time.time()
                run()
                assert time.time() - start < 5
                assert time.time() - start > 0.1
        """),
    ]
    INVALID = [
        code("""
            from datetime import date
            from people import age
            def test_age():
                assert «age(date(1990, 6, 1))» == 34
        """),
        code("""
            from datetime import timedelta
            from django.utils import timezone
            class InviteTest(TestCase):
                def test_ends(self):
                    got = invite()
                    then = «timezone.now()» + timedelta(days=14)
                    self.assertEqual(got.ends.replace(microsecond=0), then.replace(microsecond=0))
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return ("time" in source.text or "date" in source.text) and _FROZEN.search(source.text) is None

    def check_test(self, case: TestCase) -> None:
        nodes = self.module.nodes_of(case)
        if any(isinstance(n, ast.Call) and _WAITING.match(last_name(n.func)) for n in nodes):
            return
        for node in nodes:
            for side in equality_operands(node) or ():
                value = self._read_before(side, case)
                clock = next((n for n in _parts(value) if self._is_clock(n)), None)
                if isinstance(clock, ast.Call):
                    text = f"{unparse(clock.func)}() differs from the compared time; freeze the clock"
                    self.report(self.module.span(clock), text)
            self._check_duration_limit(node, case)
            self._check_relative(node, case)
            self._check_age(node)

    def _read_before(self, side: ast.expr, case: TestCase) -> ast.expr:
        """Return the value of a name that a test only compares, else the operand itself.

        A derived value such as ``then.replace(microsecond=0)`` is from the same moment too.
        """
        name = _name_of_moment(side)
        values = self._bindings(case).get(name, []) if name else []
        if len(values) != 1:
            return side
        nodes = self.module.all_nodes_of(case)
        uses = [node for node in nodes if isinstance(node, ast.Name) and node.id == name]
        return values[0] if len(uses) == 2 else side

    def _bindings(self, case: TestCase) -> dict[str, list[ast.expr]]:
        """Return the values that a test binds to its names, except those derived from the name itself."""
        if self._last_bindings is None or self._last_bindings[0] is not case:
            found: dict[str, list[ast.expr]] = {}
            for node in (n for n in self.module.nodes_of(case) if isinstance(n, ast.Assign)):
                for target in node.targets:
                    if isinstance(target, ast.Name) and not _is_of_itself(node.value, target.id):
                        found.setdefault(target.id, []).append(node.value)
            self._last_bindings = (case, found)
        return self._last_bindings[1]

    _last_bindings: tuple[TestCase, dict[str, list[ast.expr]]] | None = None
    """Cache of the last test and its bindings."""

    def _check_relative(self, node: ast.AST, case: TestCase) -> None:
        """Report a time relative to now where the expected value is how long ago or ahead it is."""
        operands = equality_operands(node)
        if operands is None or not any(map(_is_relative_time, operands)):
            return
        for call in (call for side in operands for call in self._calls_in(side, case)):
            if _receives_clock(call):
                return
            arguments = (*call.args, *(k.value for k in call.keywords))
            clock = next(
                filter(None, (self._offset_from_now(argument, case) for argument in arguments)), None
            )
            if clock is not None:
                text = "result depends on when the test runs; freeze the clock"
                self.report(self.module.span(clock), text, severity=Severity.INFO)
                return

    def _calls_in(self, side: ast.expr, case: TestCase) -> list[ast.Call]:
        """Return the calls in the value of an operand."""
        return [n for n in walk(self._resolve(side, case)) if isinstance(n, ast.Call)]

    def _check_age(self, node: ast.AST) -> None:
        """Report an age or number of days that grows over time, of a fixed date."""
        for side, other in either_order(equality_operands(node)):
            is_number = isinstance(other, ast.Constant) and type(other.value) is int
            if not is_number or not isinstance(side, ast.Call) or not _AGES.match(last_name(side.func)):
                continue
            if _is_age_of_date(side) and self.module.contains(_FIXED_DATE):
                text = "result changes with the date; freeze the clock"
                self.report(self.module.span(side), text, severity=Severity.INFO)

    def _resolve(self, side: ast.expr, case: TestCase) -> ast.expr:
        values = self._bindings(case).get(side.id, []) if isinstance(side, ast.Name) else []
        return values[0] if len(values) == 1 else side

    def _offset_from_now(self, argument: ast.expr, case: TestCase) -> ast.BinOp | None:
        """Return the clock plus or minus a duration, if an argument is one."""
        value = self._resolve(argument, case)
        for node in walk(value):
            if (
                isinstance(node, ast.BinOp)
                and isinstance(node.op, (ast.Add, ast.Sub))
                and self._is_reading(node.left, case)
                and not self._is_reading(node.right, case)
            ):
                return node
        return None

    def _check_duration_limit(self, node: ast.AST, case: TestCase) -> None:
        """Report an upper limit on a duration that is shorter than a pause of a busy machine."""
        less = _less(node)
        if less is None or not isinstance(node, (ast.Assert, ast.Call)):
            return
        took, limit = less
        seconds = limit.value if isinstance(limit, ast.Constant) else None
        is_tight = isinstance(seconds, (int, float)) and seconds <= _PAUSE_S
        if is_tight and self._is_elapsed(took, case):
            text = f"limit of {unparse(limit)} s fails on a busy machine; raise it or count the work"
            self.report(self.module.span(node), text)

    def _is_elapsed(self, took: ast.expr, case: TestCase) -> bool:
        """Return True if an expression is the difference of two clock readings."""
        if isinstance(took, ast.Name):
            return any(
                self._is_elapsed(value, case)
                for value in self._bindings(case).get(took.id, [])
                if value is not took
            )
        if not isinstance(took, ast.BinOp) or not isinstance(took.op, ast.Sub):
            return False
        return all(self._is_reading(side, case) for side in (took.left, took.right))

    def _is_reading(self, side: ast.expr, case: TestCase) -> bool:
        if isinstance(side, ast.Name):
            return any(self._is_clock(value) for value in self._bindings(case).get(side.id, []))
        return self._is_clock(side)

    def _is_clock(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and self.module.imported_name(node.func) in _CLOCKS


def _name_of_moment(value: ast.expr) -> str:
    """Return the name from which attributes and method calls derive a value; empty if there is none."""
    while True:
        match value:
            case ast.Name(id=name):
                return name
            case ast.Attribute(attr=attribute, value=inner) if attribute not in _OF_ZONES:
                value = inner
            case ast.Call(func=ast.Attribute() as function):
                value = function
            case _:
                return ""


def _is_relative_time(side: ast.expr) -> bool:
    """Return True if an operand expresses a relative time in words."""
    return (
        isinstance(side, ast.Constant)
        and isinstance(side.value, str)
        and _RELATIVE.search(side.value) is not None
    )


def _receives_clock(call: ast.Call) -> bool:
    """Return True if a call also receives the current time."""
    return any(k.arg in ("now", "today", "relative_to", "clock", "at", "reference") for k in call.keywords)


def _is_of_itself(value: ast.expr, name: str) -> bool:
    if isinstance(value, ast.Name):
        return value.id == name
    return isinstance(value, ast.BinOp) and name in unparse(value).split()


def _less(node: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    """Return the smaller and the larger operand that an assertion states."""
    if isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare):
        test = node.test
        if isinstance(test.ops[-1], (ast.Lt, ast.LtE)):
            return ([test.left, *test.comparators][-2], test.comparators[-1])
        if len(test.ops) == 1 and isinstance(test.ops[0], (ast.Gt, ast.GtE)):
            return (test.comparators[0], test.left)
    if isinstance(node, ast.Call) and last_name(node.func) in ("assertLess", "assertLessEqual"):
        return (node.args[0], node.args[1]) if len(node.args) > 1 else None
    return None


def _parts(side: ast.expr) -> list[ast.AST]:
    """Return the parts an operand is computed from; arguments of other code and time zones are excluded."""
    found: list[ast.AST] = []
    stack: list[ast.AST] = [side]
    while stack:
        node = stack.pop()
        match node:
            case ast.Attribute(attr=name) if name in _OF_ZONES:
                continue
            case ast.Call(func=ast.Attribute() as function):
                stack.append(function)
            case ast.Call(func=ast.Name(id=name)) if name in ("int", "str", "round"):
                stack += [child for child in children(node) if child is not node.func]
            case ast.Call():
                pass
            case _:
                stack += children(node)
        found.append(node)
    return found


def _is_age_of_date(call: ast.Call) -> bool:
    """Return True if a call computes an age from its only argument or object, not from a given now."""
    if _receives_clock(call) or len(call.args) > 1 or call.keywords:
        return False
    if not call.args:
        return isinstance(call.func, ast.Attribute)
    return any(isinstance(n, ast.Call) for n in walk(call.args[0]))
