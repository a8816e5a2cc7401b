"""TE007."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Source, Valid
from wardround.late import LatePattern
from wardround_tests.check import PythonTestCheck
from wardround_tests.module import TestCase, equal_sides, last_name, own_nodes

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
    }
)
_HELD = LatePattern(r"freez|time_machine|travel|mock_(time|now|clock)|patch[^\n]*(time|now|today)")
_PAUSE_S = 0.5
"""For as long a process may be kept from running on a machine that does other things too."""
_START = "from datetime import datetime\ndef test_order():\n"


class RealClock(PythonTestCheck):
    """What a test asserts depends on the moment or on how busy the machine is.

    A value compared for equality with what the clock says fails when a second, a day or a year begins between
    the two readings, and a tight limit for how long something took fails when others use the machine. Freeze
    the clock, hand the time in, or count the work done rather than the time.
    """

    ID = "TE007"
    NAME = "real-clock-in-test"
    TRIED_ON = (
        "553,000 lines of tests of 17 projects, flask, celery, redash and apprise among them: 3 hits,"
        " all right: 2 tight limits, 1 comparison."
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "import time\ndef test_fast():\n    start = time.time()\n    run()\n"
            "    assert time.time() - start < 5\n    assert time.time() - start > 0.1\n",
            path="test_case.py",
        ),
        Valid(f"{_START}    assert order(datetime(2020, 1, 1)).year == 2020\n", path="test_case.py"),
        Valid(f"{_START}    assert order().placed <= datetime.now()\n", path="test_case.py"),
        Valid(
            f"{_START}    now = datetime.now()\n    assert order(now).placed == now\n", path="test_case.py"
        ),
        Valid(
            "from datetime import datetime\nfrom freezegun import freeze_time\n@freeze_time('2020-01-01')\n"
            "def test_order():\n    assert order().placed == datetime.now()\n",
            path="test_case.py",
        ),
        Valid(
            "from datetime import datetime\n"
            "def test_order():\n    assert parse('x', now=datetime.now()) == 3\n",
            path="test_case.py",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            f"{_START}    now = datetime.now()\n    assert order().placed == now\n",
            line=3,
            column=11,
            path="test_case.py",
        ),
        Invalid(
            "import time\ndef test_fast():\n    start = time.perf_counter()\n    run()\n"
            "    took = time.perf_counter() - start\n    assert took < 0.1\n",
            line=6,
            column=5,
            path="test_case.py",
        ),
        Invalid(
            "from time import monotonic\nclass FastTest(TestCase):\n    def test_fast(self):\n"
            "        start = monotonic()\n        run()\n"
            "        self.assertLess(monotonic() - start, 0.05)\n",
            line=6,
            column=9,
            path="test_case.py",
        ),
        Invalid(
            f"{_START}    assert order().placed == datetime.now()\n", line=3, column=30, path="test_case.py"
        ),
        Invalid(
            f"{_START}    assert order().text == f'placed {{datetime.now():%H:%M}}'\n",
            line=3,
            column=38,
            path="test_case.py",
        ),
        Invalid(
            "import time\nclass TestOrder(TestCase):\n    def test_order(self):\n"
            "        self.assertEqual(order().placed, int(time.time()))\n",
            line=4,
            column=46,
            path="test_case.py",
        ),
    ]

    @classmethod
    def wants(cls, source: Source) -> bool:
        return ("time" in source.text or "date" in source.text) and _HELD.search(source.text) is None

    def look_at(self, case: TestCase) -> None:
        for node in own_nodes(case.node.body):
            for side in equal_sides(node) or ():
                value = self._read_before(side, case)
                clock = next((n for n in _parts(value) if self._is_clock(n)), None)
                if isinstance(clock, ast.Call):
                    text = f"{ast.unparse(clock.func)}() is another moment than the one compared with it"
                    self.report(self.module.span(clock), text)
            self._look_at_elapsed(node, case)

    def _read_before(self, side: ast.expr, case: TestCase) -> ast.expr:
        """What a test gives a name that it only compares: what it hands to the code is the same moment."""
        if not isinstance(side, ast.Name):
            return side
        uses = [n for n in ast.walk(case.node) if isinstance(n, ast.Name) and n.id == side.id]
        values = _bound(case, side.id)
        return values[0] if len(values) == 1 and len(uses) == 2 else side

    def _look_at_elapsed(self, node: ast.AST, case: TestCase) -> None:
        """Report an upper limit, shorter than a pause of a busy machine, for how long something took."""
        less = _less(node)
        if less is None or not isinstance(node, (ast.Assert, ast.Call)):
            return
        took, limit = less
        seconds = limit.value if isinstance(limit, ast.Constant) else None
        is_tight = isinstance(seconds, (int, float)) and seconds <= _PAUSE_S
        if is_tight and self._is_elapsed(took, case):
            text = f"on a busy machine this takes longer than {ast.unparse(limit)} s now and then"
            self.report(self.module.span(node), text)

    def _is_elapsed(self, took: ast.expr, case: TestCase) -> bool:
        """Whether an expression is the difference of two readings of the clock."""
        if isinstance(took, ast.Name):
            return any(self._is_elapsed(value, case) for value in _bound(case, took.id) if value is not took)
        if not isinstance(took, ast.BinOp) or not isinstance(took.op, ast.Sub):
            return False
        return all(self._is_reading(side, case) for side in (took.left, took.right))

    def _is_reading(self, side: ast.expr, case: TestCase) -> bool:
        if isinstance(side, ast.Name):
            return any(self._is_clock(value) for value in _bound(case, side.id))
        return self._is_clock(side)

    def _is_clock(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and self.module.imported_name(node.func) in _CLOCKS


def _bound(case: TestCase, name: str) -> list[ast.expr]:
    """What a test gives a name."""
    return [
        node.value
        for node in own_nodes(case.node.body)
        if isinstance(node, ast.Assign)
        and any(isinstance(t, ast.Name) and t.id == name for t in node.targets)
        and not (isinstance(node.value, ast.Name) and node.value.id == name)
        and not (isinstance(node.value, ast.BinOp) and name in ast.unparse(node.value).split())
    ]


def _less(node: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    """What an assertion says is less than what."""
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
    """What a side of a comparison is computed from; the clock as an argument of other code is its matter."""
    found: list[ast.AST] = []
    stack: list[ast.AST] = [side]
    while stack:
        node = stack.pop()
        found.append(node)
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id not in ("int", "str", "round")
        ):
            continue
        stack += [node.func] if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else []
        stack += [
            one
            for one in ast.iter_child_nodes(node)
            if not isinstance(node, ast.Call) or (isinstance(node.func, ast.Name) and one is not node.func)
        ]
    return found
