"""TE006."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Source, Valid
from wardround.findings import Plane, Severity
from wardround.late import LatePattern
from wardround_tests.check import PythonTestCheck
from wardround_tests.module import last_name

_SLEEPS = frozenset({"time.sleep", "asyncio.sleep", "anyio.sleep", "trio.sleep", "gevent.sleep"})
_WAITS_MS = frozenset({"wait_for_timeout", "qWait"})
"""What waits for so many milliseconds, in tools that drive browsers and windows."""
_NOTICED_S = 0.1
"""Below this a sleep yields rather than waits; nobody notices it."""
_SLOW_S = 0.5
"""From here on a hundred such tests cost a minute."""
_ABOUT_TIME = LatePattern(
    r"(?i)time|sleep|slow|expir|ttl|delay|throttl|rate|durat|elaps|timing|wait|poll|lag|age|"
    r"retry|backoff|keepalive|idle|interval|schedul|clock|heartbeat|lease"
)


class Sleep(PythonTestCheck):
    """A test waits for a fixed time instead of for what it needs.

    On a busy machine the time is too short and the test fails now and then; on all others it is wasted in
    every run. Wait for the event, the queue or the condition, with a timeout, or move the clock.
    """

    ID = "TE006"
    NAME = "sleep-in-test"
    TRIED_ON = (
        "331,000 lines of tests of flask, httpx, urllib3, celery, pytest, aiohttp, pydantic: 32 hits, "
        "12 read, all right."
    )
    PLANE = Plane.TESTS
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "import time\ndef test_job():\n    time.sleep(0.01)\n    assert job.done\n", path="test_case.py"
        ),
        Valid(
            "import asyncio\nasync def test_job():\n    await asyncio.sleep(0)\n    assert job.done\n",
            path="test_case.py",
        ),
        Valid(
            "import time\ndef test_job():\n    while not job.done:\n        time.sleep(1)\n    assert job\n",
            path="test_case.py",
        ),
        Valid(
            "import time\ndef test_job():\n    def slow():\n        time.sleep(5)\n    assert run(slow)\n",
            path="test_case.py",
        ),
        Valid(
            "import time\n@mock.patch('time.sleep')\ndef test_job(sleep):\n    time.sleep(5)\n"
            "    sleep.assert_called_once_with(5)\n",
            path="test_case.py",
        ),
        Valid(
            "import asyncio, pytest\nasync def test_job():\n    with pytest.raises(TimeoutError):\n"
            "        async with asyncio.timeout(0.01):\n            await asyncio.sleep(10)\n",
            path="test_case.py",
        ),
        Valid(
            "from app import sleep\ndef test_job():\n    sleep(3)\n    assert job.done\n", path="test_case.py"
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "def test_open(page):\n    page.click('a')\n    page.wait_for_timeout(2000)\n"
            "    assert page.title() == 'a'\n",
            line=3,
            column=5,
            path="test_case.py",
        ),
        Invalid(
            "import time\ndef test_job():\n    start()\n    time.sleep(2)\n    assert job.done\n",
            line=4,
            column=5,
            path="test_case.py",
        ),
        Invalid(
            "from time import sleep\ndef test_job():\n    start()\n    sleep(.5)\n    assert job.done\n",
            line=4,
            column=5,
            path="test_case.py",
        ),
        Invalid(
            "import asyncio\nasync def test_job():\n    start()\n    await asyncio.sleep(1)\n"
            "    assert job.done\n",
            line=4,
            column=11,
            path="test_case.py",
        ),
    ]

    @classmethod
    def wants(cls, source: Source) -> bool:
        return "sleep" in source.text or "wait" in source.text

    def visit_Call(self, node: ast.Call) -> None:
        name = self.module.imported_name(node.func)
        unit_ms = isinstance(node.func, ast.Attribute) and node.func.attr in _WAITS_MS
        if (
            (name not in _SLEEPS and not unit_ms)
            or not node.args
            or not isinstance(node.args[0], ast.Constant)
        ):
            return
        case = self.module.test_of(node)
        seconds = node.args[0].value
        if unit_ms and isinstance(seconds, (int, float)):
            name, seconds = ast.unparse(node.func), seconds / 1000
        if case is None or not isinstance(seconds, (int, float)) or seconds < _NOTICED_S:
            return
        if self._is_meant(node, self.module.text_of(case.node).partition("\n")[0]) or _patches_sleep(
            case.node
        ):
            return
        mild = seconds < _SLOW_S or _ABOUT_TIME.search(case.name + (case.cls.name if case.cls else ""))
        self.report(
            self.module.span(node),
            f"{name}({seconds}) in a test: wait for what should have happened",
            severity=Severity.INFO if mild else None,
        )

    def _is_meant(self, node: ast.Call, header: str) -> bool:
        """Whether the sleep polls, or is itself what must be interrupted."""
        for parent in self.module.ancestors(node):
            if isinstance(parent, (ast.While, ast.For, ast.AsyncFor, ast.ExceptHandler)):
                return True
            if isinstance(parent, (ast.With, ast.AsyncWith)):
                names = " ".join(ast.unparse(item.context_expr) for item in parent.items)
                if re.search(r"(?i)timeout|raises|cancel|fail_after|move_on|deadline|patch", names):
                    return True
            if isinstance(parent, ast.Call) and last_name(parent.func) not in ("gather", "run"):
                return True
        return False


def _patches_sleep(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any("sleep" in ast.unparse(one) or "time" in ast.unparse(one) for one in function.decorator_list)
