"""PY004."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Span
from wardround.languages.python.module import FunctionNode, nodes_run_by
from wardround.languages.python.tree import walk
from wardround_python.analysis.polling_loops import (
    ASKS_A_PERSON,
    COUNTS_OR_TIMES,
    RENEWS,
    asked_for,
    asks,
    awaited_value,
    called_name,
    calls_between,
    is_between,
    sets,
    shown,
)
from wardround_python.check import PythonCheck

SLEEPS = frozenset(
    {"time.sleep", "asyncio.sleep", "trio.sleep", "anyio.sleep", "gevent.sleep", "eventlet.sleep"}
)
# By their names, helpers of the module that let time go by.
_PAUSES = LazyPattern(r"_*(back_?off|pause|nap|delay|cool_?down|snooze|wait|sleep)(_\w+)?")
# Exceptions of something outside that may be down; others speak of the program's own data.
_OUTAGE = LazyPattern(
    r"(Base)?Exception|OSError|IOError|EnvironmentError|error"
    r"|\w*(Connect|Timeout|TimedOut|H(TTP|ttp)|Request|URL|Network|Transport|Socket|Operational|Database"
    r"|Unavailable|Server|Client|Api|API|Throttl|RateLimit|Redis|Kafka|A(MQP|mqp)|R(PC|pc)|Gateway|Broker)\w*"
)
_LIMITS_TIME = LazyPattern(r"timeout|deadline|fail_after|move_on", re.IGNORECASE)
# To take a lock is to wait for it, and a call that is given a limit keeps it.
_WAITS_BY_NAME = LazyPattern(r"lock|acquire|timeout|deadline", re.IGNORECASE)
_WAITS_FOR_END = frozenset({"is_set", "wait", "cancelled", "stopped", "should_stop", "stopping"})


class UnboundedRetry(PythonCheck):
    """A call is tried again and again with nothing to end it.

    When the other side is down for good, the loop keeps its thread, its connections and its caller for
    ever, and the failure never shows. Count the attempts or set a deadline, and raise at the end.
    """

    ID = "PY004"
    NAME = "unbounded-retry"
    WORDS = ("while ", "itertools")
    VALID = [
        code("""
            while True:
                try:
                    handle(queue.get())
                except Exception:
                    log.exception('x')
        """),
        code("""
            for attempt in range(3):
                try:
                    f()
                    break
                except OSError:
                    pass
        """),
    ]
    INVALID = [
        code("""
            def g():
                «while» True:
                    try:
                        return fetch()
                    except OSError:
                        time.sleep(1)
        """),
        code("""
            «while» 1:
                try:
                    c = connect()
                    break
                except Exception as e:
                    log.warning('no %s', e)
                    continue
        """),
    ]

    def visit_While(self, node: ast.While) -> None:
        test = node.test
        complaint = None
        if isinstance(test, ast.Constant) and test.value in (True, 1):
            complaint = self._tried_again(node) or self._asked_again(node)
        elif (awaited := awaited_value(test)) is not None:
            complaint = self._tried_again(node, awaited)
        if complaint is None and isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            polled = self._polls(node, test.operand)
            complaint = f"{shown(test.operand)} is polled without limit or deadline" if polled else None
        elif complaint is None and self._polls_state(node, test):
            complaint = f"{ast.unparse(test)} is polled without limit or deadline"
        if complaint and not self._is_limited_outside(node):
            self.report(self._place(node), complaint)

    def visit_For(self, node: ast.For) -> None:
        counts = isinstance(node.iter, ast.Call) and self.module.imported_name(node.iter.func)
        if counts == "itertools.count" and (complaint := self._tried_again(node)):
            self.report(self._place(node), complaint)

    def _place(self, node: ast.While | ast.For) -> Span:
        """The loop; or where a handler goes back to it, if a change wrote that into an old loop."""
        if not self.source.is_added(node.lineno):
            tries = (n for n in _statements(node.body) if isinstance(n, ast.Try))
            for handler in (h for attempt in tries for h in attempt.handlers if _starts_again(h)):
                if self.source.is_added(handler.lineno):
                    return self.module.span(handler.body[-1])
        return self.module.keyword_span(node, len("while" if isinstance(node, ast.While) else "for"))

    def _tried_again(self, node: ast.While | ast.For, awaited: str | None = None) -> str | None:
        """What a loop tries for ever; ``awaited`` is what its test waits for an attempt to set."""
        tries = (n for n in _statements(node.body) if isinstance(n, ast.Try))
        retry = next((attempt for attempt in tries if _retries(node, attempt, awaited)), None)
        return f"{_first_call(retry.body)} is tried again without limit or deadline" if retry else None

    def _asked_again(self, node: ast.While) -> str | None:
        """What an endless loop asks in each round, if it only leaves when the answer is right."""
        asked = {
            target.id: statement.value
            for statement in node.body
            if isinstance(statement, ast.Assign) and asks(statement.value)
            for target in statement.targets
            if isinstance(target, ast.Name)
        }
        exits = [n for n in node.body if isinstance(n, ast.If)]
        if not asked and exits and self._only_waits(node.body, exits):
            return self._asked_in_test(exits)
        if len(asked) != 1 or not exits or not self._only_waits(node.body, exits):
            return None
        (name, value), *_ = asked.items()
        told = all(self._is_about(one.test, name) for one in exits)
        leaves = any(isinstance(n, (ast.Return, ast.Break)) for one in exits for n in nodes_run_by(one.body))
        return f"{shown(value)} is polled without limit or deadline" if told and leaves else None

    def _asked_in_test(self, exits: Sequence[ast.If]) -> str | None:
        """What is asked by the conditions themselves under which a loop is left."""
        tests = [one.test.operand if isinstance(one.test, ast.UnaryOp) else one.test for one in exits]
        asked = [test.left if isinstance(test, ast.Compare) else test for test in tests]
        if not all(asks(value) and not COUNTS_OR_TIMES.search(ast.unparse(value)) for value in asked):
            return None
        if any(isinstance(v, ast.Call) and called_name(v) in _WAITS_FOR_END for v in asked):
            return None
        leaves = any(isinstance(n, (ast.Return, ast.Break)) for one in exits for n in nodes_run_by(one.body))
        return f"{shown(asked[0])} is polled without limit or deadline" if leaves else None

    def _is_about(self, test: ast.expr, name: str) -> bool:
        """Whether a test speaks of nothing but one name, constants and what is imported or a class."""
        names = {n.id for n in walk(test) if isinstance(n, ast.Name)}
        return (
            name in names
            and all(one == name or one[:1].isupper() or one in self.module.imported for one in names)
            and not COUNTS_OR_TIMES.search(ast.unparse(test))
        )

    def _only_waits(self, body: Sequence[ast.stmt], exits: Sequence[ast.If]) -> bool:
        """Whether a round asks, leaves, logs and sleeps, and does nothing else."""
        counts = {n.id for one in exits for n in walk(one.test) if isinstance(n, ast.Name)}
        others = [
            n
            for n in body
            if n not in exits
            and not isinstance(n, (ast.Assign, ast.Expr, ast.Pass))
            and not (isinstance(n, ast.AugAssign) and ast.unparse(n.target) not in counts)
        ]
        calls = calls_between([s for s in body if isinstance(s, ast.Expr)])
        sleeps = any(map(self._pauses, calls))
        ends = all(isinstance(one.body[-1], (ast.Return, ast.Break, ast.Raise)) for one in exits)
        ends = ends and not any(one.orelse for one in exits)
        return sleeps and ends and not others and all(map(is_between, calls))

    def _polls_state(self, node: ast.While, test: ast.expr) -> bool:
        """Whether a loop sleeps until something that others change has a certain state."""
        parts = test.values if isinstance(test, ast.BoolOp) else [test]
        kinds = (ast.Eq, ast.NotEq, ast.In, ast.NotIn, ast.Is)
        if not all(isinstance(one, ast.Compare) and isinstance(one.ops[0], kinds) for one in parts):
            return False
        if COUNTS_OR_TIMES.search(ast.unparse(test)):
            return False
        calls = [n for n in nodes_run_by(node.body) if isinstance(n, ast.Call)]
        sleeps = any(map(self._pauses, calls))
        asked = asked_for(node.body, test)
        if not sleeps or asked is None:
            return False
        called = bool(asked) or any(isinstance(n, ast.Call) for n in nodes_run_by([test]))
        return called or any(RENEWS.fullmatch(called_name(c)) for c in calls)

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
        if _is_state(asked):
            return not COUNTS_OR_TIMES.search(ast.unparse(asked)) and self._only_sleeps(node.body)
        if not isinstance(asked, ast.Call) or called_name(asked) in _WAITS_FOR_END:
            return False
        if _WAITS_BY_NAME.search(ast.unparse(asked)):
            return False
        if any(isinstance(s, ast.Assign) for s in node.body) and not COUNTS_OR_TIMES.search(
            ast.unparse(asked)
        ):
            calls = [n for n in nodes_run_by(node.body) if isinstance(n, ast.Call)]
            return bool(asked_for(node.body, asked)) and any(map(self._pauses, calls))
        return self._only_sleeps(node.body)

    def _pauses(self, call: ast.Call) -> bool:
        """Whether a call sleeps, or is of a helper of the module that does."""
        if self.module.imported_name(call.func) in SLEEPS:
            return True
        if not _PAUSES.fullmatch(called_name(call)):
            return False
        helpers = [
            n for n in self.module.nodes if isinstance(n, FunctionNode) and n.name == called_name(call)
        ]
        return any(
            self.module.imported_name(n.func) in SLEEPS
            for helper in helpers
            for n in nodes_run_by(helper.body)
            if isinstance(n, ast.Call)
        )

    def _only_sleeps(self, body: Sequence[ast.stmt]) -> bool:
        """Whether a round logs and sleeps and changes nothing."""
        calls = [n for n in nodes_run_by(body) if isinstance(n, ast.Call)]
        sleeps = any(map(self._pauses, calls))
        plain = all(isinstance(statement, (ast.Expr, ast.Pass)) for statement in body)
        return sleeps and plain and all(is_between(c) or RENEWS.fullmatch(called_name(c)) for c in calls)


def _is_state(node: ast.expr) -> bool:
    """Whether a condition is of attributes alone: ``job.is_done or job.has_failed``."""
    parts = node.values if isinstance(node, ast.BoolOp) else [node]
    return all(isinstance(part, ast.Attribute) for part in parts)


def _statements(body: Iterable[ast.stmt]) -> Iterable[ast.stmt]:
    """The statements that run in every round, those in a ``with`` included."""
    for statement in body:
        yield statement
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            yield from _statements(statement.body)


def _retries(loop: ast.While | ast.For, attempt: ast.Try, awaited: str | None = None) -> bool:
    """Whether the ``try`` leaves the loop when it succeeds and comes back to it, for ever, when it fails."""
    handlers = [h for h in attempt.handlers if _starts_again(h)]
    if not handlers or attempt.finalbody or not _tries_something(attempt):
        return False
    ending = [s for h in attempt.handlers if h not in handlers for s in h.body]
    tried = set(map(id, nodes_run_by(attempt.body + attempt.orelse + ending)))
    others = [n for n in nodes_run_by(loop.body) if id(n) not in tried]
    if awaited is not None:
        leaves = any(isinstance(n, (ast.Return, ast.Break, ast.Raise)) for n in others)
        counts = any(isinstance(n, ast.AugAssign) for n in nodes_run_by(loop.body))
        is_set = any(sets(statement, awaited) for statement in attempt.body + attempt.orelse)
        return is_set and not leaves and not counts and not _makes_progress(attempt, others)
    return _ends_on_success(loop, attempt, others, handlers) and not _makes_progress(attempt, others)


def _ends_on_success(
    loop: ast.While | ast.For,
    attempt: ast.Try,
    others: Sequence[ast.AST],
    handlers: Sequence[ast.ExceptHandler],
) -> bool:
    exits = [n for n in others if isinstance(n, (ast.Return, ast.Break, ast.Raise))]
    if any(isinstance(s, (ast.Return, ast.Break)) for s in _statements(attempt.body + attempt.orelse)):
        return not exits
    last = loop.body[-1]
    skips = all(isinstance(handler.body[-1], ast.Continue) for handler in handlers)
    return (
        skips and isinstance(last, (ast.Return, ast.Break)) and exits == [last] and loop.body[-2] is attempt
    )


def catches_outage(handler: ast.ExceptHandler) -> bool:
    """Whether a handler catches everything, or by its names what says that something outside is down."""
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = [kind.attr if isinstance(kind, ast.Attribute) else getattr(kind, "id", "") for kind in kinds]
    return handler.type is None or all(_OUTAGE.fullmatch(name) for name in names)


def _starts_again(handler: ast.ExceptHandler) -> bool:
    if not catches_outage(handler):
        return False
    inside = list(nodes_run_by(handler.body))
    if any(
        isinstance(n, (ast.Raise, ast.Return, ast.Break, ast.Compare, ast.Yield, ast.YieldFrom))
        for n in inside
    ):
        return False
    return all(map(is_between, calls_between(handler.body)))


def _tries_something(attempt: ast.Try) -> bool:
    calls = [n for n in nodes_run_by(attempt.body) if isinstance(n, ast.Call)]
    return bool(calls) and not any(called_name(call) in ASKS_A_PERSON for call in calls)


def _makes_progress(attempt: ast.Try, others: Sequence[ast.AST]) -> bool:
    """Whether something the attempt uses is assigned anew in each round: then it isn't the same attempt."""
    used = {
        n.id for n in nodes_run_by(attempt.body) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    }
    return any(isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id in used for n in others)


def _first_call(body: Sequence[ast.stmt]) -> str:
    return next(shown(n) for n in nodes_run_by(body) if isinstance(n, ast.Call))
