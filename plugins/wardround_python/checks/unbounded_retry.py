"""PY004."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from typing import ClassVar

from wardround.checks import Invalid, Source, Valid
from wardround.late import LatePattern
from wardround_python.check import PythonCheck
from wardround_python.module import nodes_run_by

_SLEEPS = frozenset(
    {"time.sleep", "asyncio.sleep", "trio.sleep", "anyio.sleep", "gevent.sleep", "eventlet.sleep"}
)
# What a handler may do between two attempts without ending them.
_BETWEEN_ATTEMPTS = LatePattern(
    r"_*(sleep|log|debug|info|warning|warn|error|exception|critical|print|echo|write|format|str|repr|min|max|random|uniform)"
)
# Exceptions of something outside that may be down; others speak of the program's own data.
_OUTAGE = LatePattern(
    r"(Base)?Exception|OSError|IOError|EnvironmentError|error"
    r"|\w*(Connect|Timeout|TimedOut|H(TTP|ttp)|Request|URL|Network|Transport|Socket|Operational|Database"
    r"|Unavailable|Server|Client|Api|API|Throttl|RateLimit|Redis|Kafka|A(MQP|mqp)|R(PC|pc)|Gateway|Broker)\w*"
)
_LIMITS_TIME = LatePattern(r"timeout|deadline|fail_after|move_on", re.IGNORECASE)
# To take a lock is to wait for it, and a call that is given a limit keeps it.
_WAITS_BY_NAME = LatePattern(r"lock|acquire|timeout|deadline", re.IGNORECASE)
_ASKS_A_PERSON = frozenset(
    {"input", "raw_input", "prompt", "getpass", "ask", "confirm", "readline", "getkey", "getch"}
)
_WAITS_FOR_END = frozenset({"is_set", "wait", "cancelled", "stopped", "should_stop", "stopping"})


class UnboundedRetry(PythonCheck):
    """A call is tried again and again with nothing to end it.

    When the other side is down for good, the loop keeps its thread, its connections and its caller for
    ever, and the failure never shows. Count the attempts or set a deadline, and raise at the end.
    """

    ID = "PY004"
    NAME = "unbounded-retry"
    VALID: ClassVar[Sequence[str | Valid]] = [
        "while True:\n    try:\n        handle(queue.get())\n    except Exception:\n"
        "        log.exception('x')\n",
        "for attempt in range(3):\n    try:\n        f()\n        break\n    except OSError:\n        pass\n",
        "while True:\n    try:\n        f()\n        break\n    except OSError:\n        tries += 1\n"
        "        if tries > 3:\n            raise\n",
        "while True:\n    try:\n        n = int(input())\n        break\n    except Exception:\n"
        "        print('?')\n",
        "def g(names):\n    while True:\n        name = names.pop()\n        try:\n"
        "            return f(name)\n"
        "        except OSError:\n            continue\n",
        "import time\nwhile not ready():\n    if time.monotonic() > end:\n"
        "        raise TimeoutError\n    time.sleep(1)\n",
        "import time\nwhile not stop.is_set():\n    time.sleep(1)\n",
        "import time\nwhile not try_lock(fd):\n    time.sleep(1)\n",
        "while True:\n    try:\n        draw()\n        break\n    except TooManyLeaves:\n        pass\n",
        "import time\nwhile not ready():\n    step()\n    time.sleep(1)\n",
        "import asyncio\nasync def g():\n    async with asyncio.timeout(5):\n        while not ready():\n"
        "            await asyncio.sleep(1)\n",
        "async def g():\n    while True:\n        try:\n            return await f()\n"
        "        except asyncio.CancelledError:\n            continue\n",
        Valid("import time\nwhile not ready():\n    time.sleep(1)\n", path="tests/test_ready.py"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "def g():\n    while True:\n        try:\n            return fetch()\n        except OSError:\n"
            "            time.sleep(1)\n",
            line=2,
            column=5,
        ),
        Invalid(
            "while 1:\n    try:\n        c = connect()\n        break\n    except Exception as e:\n"
            "        log.warning('no %s', e)\n        continue\n",
            line=1,
            column=1,
        ),
        Invalid(
            "def g():\n    delay = 1\n    while True:\n        try:\n            data = fetch()\n"
            "        except ConnectionError:\n            time.sleep(delay)\n            delay *= 2\n"
            "            continue\n        return data\n",
            line=3,
            column=5,
        ),
        Invalid(
            "while True:\n    try:\n        f()\n    except TimeoutError:\n        pass\n    else:\n"
            "        break\n",
            line=1,
            column=1,
        ),
        Invalid("import time\nwhile not job.done():\n    time.sleep(1)\n", line=2, column=1),
        Invalid(
            "import asyncio\nasync def g():\n    while not await ready():\n        print('.')\n"
            "        await asyncio.sleep(1)\n",
            line=3,
            column=5,
        ),
    ]

    @classmethod
    def wants(cls, source: Source) -> bool:
        return "while " in source.text

    def visit_While(self, node: ast.While) -> None:
        complaint = None
        if isinstance(node.test, ast.Constant) and node.test.value in (True, 1):
            tries = (n for n in _statements(node.body) if isinstance(n, ast.Try))
            retry = next((attempt for attempt in tries if _retries(node, attempt)), None)
            complaint = retry and f"{_first_call(retry.body)} is tried again without limit or deadline"
        elif isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not):
            polled = self._polls(node, node.test.operand)
            complaint = f"{_shown(node.test.operand)} is polled without limit or deadline" if polled else None
        if complaint and not self._is_limited_outside(node):
            self.report(self.module.keyword_span(node, len("while")), complaint)

    def _is_limited_outside(self, node: ast.While) -> bool:
        """Whether a ``with`` around the loop, by its name, ends it after some time."""
        return any(
            _LIMITS_TIME.search(ast.unparse(item.context_expr))
            for parent in self.module.ancestors(node)
            if isinstance(parent, (ast.With, ast.AsyncWith))
            for item in parent.items
        )

    def _polls(self, node: ast.While, condition: ast.expr) -> bool:
        asked = condition.value if isinstance(condition, ast.Await) else condition
        if not isinstance(asked, ast.Call) or _name(asked) in _WAITS_FOR_END:
            return False
        if _WAITS_BY_NAME.search(ast.unparse(asked)):
            return False
        calls = [n for n in nodes_run_by(node.body) if isinstance(n, ast.Call)]
        sleeps = any(self.module.imported_name(call.func) in _SLEEPS for call in calls)
        return (
            sleeps
            and all(isinstance(statement, (ast.Expr, ast.Pass)) for statement in node.body)
            and all(_BETWEEN_ATTEMPTS.fullmatch(_name(call)) for call in calls)
        )


def _statements(body: Iterable[ast.stmt]) -> Iterable[ast.stmt]:
    """The statements that run in every round, those in a ``with`` included."""
    for statement in body:
        yield statement
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            yield from _statements(statement.body)


def _retries(loop: ast.While, attempt: ast.Try) -> bool:
    """Whether the ``try`` leaves the loop when it succeeds and comes back to it, for ever, when it fails."""
    handlers = [h for h in attempt.handlers if _starts_again(h)]
    if not handlers or attempt.finalbody or not _tries_something(attempt):
        return False
    tried = set(map(id, nodes_run_by(attempt.body + attempt.orelse)))
    others = [n for n in nodes_run_by(loop.body) if id(n) not in tried]
    return _ends_on_success(loop, attempt, others, handlers) and not _makes_progress(attempt, others)


def _ends_on_success(
    loop: ast.While, attempt: ast.Try, others: Sequence[ast.AST], handlers: Sequence[ast.ExceptHandler]
) -> bool:
    exits = [n for n in others if isinstance(n, (ast.Return, ast.Break, ast.Raise))]
    if any(isinstance(s, (ast.Return, ast.Break)) for s in _statements(attempt.body + attempt.orelse)):
        return not exits
    last = loop.body[-1]
    skips = all(isinstance(handler.body[-1], ast.Continue) for handler in handlers)
    return (
        skips and isinstance(last, (ast.Return, ast.Break)) and exits == [last] and loop.body[-2] is attempt
    )


def _starts_again(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = [kind.attr if isinstance(kind, ast.Attribute) else getattr(kind, "id", "") for kind in kinds]
    if handler.type is not None and not all(_OUTAGE.fullmatch(name) for name in names):
        return False
    inside = list(nodes_run_by(handler.body))
    if any(
        isinstance(n, (ast.Raise, ast.Return, ast.Break, ast.Compare, ast.Yield, ast.YieldFrom))
        for n in inside
    ):
        return False
    return all(_BETWEEN_ATTEMPTS.fullmatch(_name(n)) for n in inside if isinstance(n, ast.Call))


def _tries_something(attempt: ast.Try) -> bool:
    calls = [n for n in nodes_run_by(attempt.body) if isinstance(n, ast.Call)]
    return bool(calls) and not any(_name(call) in _ASKS_A_PERSON for call in calls)


def _makes_progress(attempt: ast.Try, others: Sequence[ast.AST]) -> bool:
    """Whether something the attempt uses is assigned anew in each round: then it isn't the same attempt."""
    used = {
        n.id for n in nodes_run_by(attempt.body) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    }
    return any(isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id in used for n in others)


def _first_call(body: Sequence[ast.stmt]) -> str:
    return next(_shown(n) for n in nodes_run_by(body) if isinstance(n, ast.Call))


def _shown(node: ast.expr) -> str:
    node = node.value if isinstance(node, ast.Await) else node
    return f"{ast.unparse(node.func)}()" if isinstance(node, ast.Call) else ast.unparse(node)


def _name(call: ast.Call) -> str:
    """The last part of what is called."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
