"""TE007."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Source, Valid
from wardround.late import LatePattern
from wardround_tests.check import PythonTestCheck
from wardround_tests.module import TestCase, equal_sides, own_nodes

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
_START = "from datetime import datetime\ndef test_order():\n"


class RealClock(PythonTestCheck):
    """A value is compared for equality with what the clock says at that moment.

    Time passes between the two readings, so the test fails when a second, a day or a year begins in between.
    Freeze the clock, hand the time in, or assert a range.
    """

    ID = "TE007"
    NAME = "real-clock-in-test"
    TRIED_ON = (
        "331,000 lines of tests of flask, httpx, urllib3, celery, pytest, aiohttp, pydantic: no hit, so "
        "nothing wrong and nothing proven."
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
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
                clock = next((n for n in _parts(side) if self._is_clock(n)), None)
                if isinstance(clock, ast.Call):
                    text = f"{ast.unparse(clock.func)}() is another moment than the one compared with it"
                    self.report(self.module.span(clock), text)

    def _is_clock(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and self.module.imported_name(node.func) in _CLOCKS


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
