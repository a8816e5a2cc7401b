from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from wardround.findings import Span
from wardround.languages.python.module import FunctionNode, names_in, nodes_run_by
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.analysis.polling_loops import (
    ASKS_A_PERSON,
    COUNTS_OR_TIMES,
    RENEWS,
    assigns_name,
    awaited_value,
    call_text,
    called_name,
    calls_before_sleep,
    condition_queries,
    is_between,
    is_query_result,
)
from wardround_python.check import PythonCheck

SLEEPS = frozenset(
    {"time.sleep", "asyncio.sleep", "trio.sleep", "anyio.sleep", "gevent.sleep", "eventlet.sleep"}
)
# Names of helpers that pause.
_PAUSES = LazyPattern(r"_*(back_?off|pause|nap|delay|cool_?down|snooze|wait|sleep)(_\w+)?")
# Exceptions that signal an outage of a service; others concern the program's own data.
_OUTAGE = LazyPattern(
    r"(Base)?Exception|OSError|IOError|EnvironmentError|error"
    r"|\w*(Connect|Timeout|TimedOut|H(TTP|ttp)|Request|URL|Network|Transport|Socket|Operational|Database"
    r"|Unavailable|Server|Client|Api|API|Throttl|RateLimit|Redis|Kafka|A(MQP|mqp)|R(PC|pc)|Gateway|Broker)\w*"
)
_LIMITS_TIME = LazyPattern(r"timeout|deadline|fail_after|move_on", re.IGNORECASE)
# Taking a lock waits for it, and a call with a limit ends by itself.
_WAITS_BY_NAME = LazyPattern(r"lock|acquire|timeout|deadline", re.IGNORECASE)
_WAITS_FOR_END = frozenset({"is_set", "wait", "cancelled", "stopped", "should_stop", "stopping"})


class UnboundedRetry(PythonCheck):
    """A loop retries a call without a limit or deadline.

    If the service stays down, the loop occupies its thread, its connections and its caller forever, and
    the failure never surfaces. Count the attempts or set a deadline, and raise at the end.
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
        message = self._attempt_message(node) or self._poll_message(node)
        if message and not self._is_limited_outside(node):
            self.report(self._span(node), message)

    def _attempt_message(self, node: ast.While) -> str | None:
        if isinstance(node.test, ast.Constant) and node.test.value in (True, 1):
            return self._endless_attempt(node) or self._endless_poll(node)
        awaited = awaited_value(node.test)
        return self._endless_attempt(node, awaited) if awaited is not None else None

    def _poll_message(self, node: ast.While) -> str | None:
        test = node.test
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            is_polled = self._is_polling(node, test.operand)
            return f"{call_text(test.operand)} is polled without a limit or deadline" if is_polled else None
        if self._polls_state(node, test):
            return f"{unparse(test)} is polled without a limit or deadline"
        return None

    def visit_For(self, node: ast.For) -> None:
        counts = isinstance(node.iter, ast.Call) and self.module.imported_name(node.iter.func)
        if counts == "itertools.count" and (complaint := self._endless_attempt(node)):
            self.report(self._span(node), complaint)

    def _span(self, node: ast.While | ast.For) -> Span:
        """Return the span of the loop, or of a handler that a change added to an old loop."""
        if not self.source.is_added(node.lineno):
            tries = (n for n in _statements(node.body) if isinstance(n, ast.Try))
            for handler in (h for attempt in tries for h in attempt.handlers if _starts_again(h)):
                if self.source.is_added(handler.lineno):
                    return self.module.span(handler.body[-1])
        return self.module.keyword_span(node, len("while" if isinstance(node, ast.While) else "for"))

    def _endless_attempt(self, node: ast.While | ast.For, awaited: str | None = None) -> str | None:
        """Describe the endless attempt of a loop; ``awaited`` is the name its test waits for."""
        tries = (n for n in _statements(node.body) if isinstance(n, ast.Try))
        retry = next((attempt for attempt in tries if _is_retry(node, attempt, awaited)), None)
        return f"{_first_call(retry.body)} is retried without a limit or deadline" if retry else None

    def _endless_poll(self, node: ast.While) -> str | None:
        """Describe the poll of an endless loop that exits only on the right result."""
        exits = [n for n in node.body if isinstance(n, ast.If)]
        if not exits or not self._only_waits(node.body, exits):
            return None
        queried = dict(_queried_names(node.body))
        if not queried:
            return self._poll_in_test(exits)
        (name, value), *_ = queried.items()
        if len(queried) != 1 or not all(self._depends_only_on(exit_if.test, name) for exit_if in exits):
            return None
        return f"{call_text(value)} is polled without a limit or deadline" if _leave(exits) else None

    def _poll_in_test(self, exits: Sequence[ast.If]) -> str | None:
        """Describe the poll that the exit conditions themselves make."""
        tests = [
            exit_if.test.operand if isinstance(exit_if.test, ast.UnaryOp) else exit_if.test
            for exit_if in exits
        ]
        queried = [test.left if isinstance(test, ast.Compare) else test for test in tests]
        if not all(map(_is_poll, queried)) or not _leave(exits):
            return None
        return f"{call_text(queried[0])} is polled without a limit or deadline"

    def _depends_only_on(self, test: ast.expr, name: str) -> bool:
        """Return True if a test uses only the name, constants, imported names and classes."""
        names = {n.id for n in walk(test) if isinstance(n, ast.Name)}
        return (
            name in names
            and all(word == name or word[:1].isupper() or word in self.module.imported for word in names)
            and not COUNTS_OR_TIMES.search(unparse(test))
        )

    def _only_waits(self, body: Sequence[ast.stmt], exits: Sequence[ast.If]) -> bool:
        """Return True if an iteration only polls, exits, logs and sleeps."""
        tested: set[str] = set().union(*(names_in(branch.test) for branch in exits))
        if not all(statement in exits or _is_incidental(statement, tested) for statement in body):
            return False
        if not all(map(_only_leaves, exits)):
            return False
        calls = calls_before_sleep([statement for statement in body if isinstance(statement, ast.Expr)])
        return any(map(self._is_pause, calls)) and all(map(is_between, calls))

    def _polls_state(self, node: ast.While, test: ast.expr) -> bool:
        """Return True if a loop sleeps until something changed elsewhere has a certain state."""
        parts = test.values if isinstance(test, ast.BoolOp) else [test]
        if not all(map(_compares_state, parts)) or COUNTS_OR_TIMES.search(unparse(test)):
            return False
        queried = condition_queries(node.body, test)
        calls = _calls_run_by(node.body)
        if queried is None or not any(map(self._is_pause, calls)):
            return False
        if queried or _calls_run_by([test]):
            return True
        return any(RENEWS.fullmatch(called_name(call)) for call in calls)

    def _is_limited_outside(self, node: ast.While) -> bool:
        """Return True if a ``with`` around the loop, by its name, limits its time."""
        return any(
            _LIMITS_TIME.search(unparse(item.context_expr))
            for parent in self.module.ancestors(node)
            if isinstance(parent, (ast.With, ast.AsyncWith))
            for item in parent.items
        )

    def _is_polling(self, node: ast.While, condition: ast.expr) -> bool:
        queried = condition.value if isinstance(condition, ast.Await) else condition
        counts = COUNTS_OR_TIMES.search(unparse(queried)) is not None
        if _is_state(queried):
            return not counts and self._only_sleeps(node.body)
        if not isinstance(queried, ast.Call) or _waits_by_itself(queried):
            return False
        if not counts and any(isinstance(statement, ast.Assign) for statement in node.body):
            return bool(condition_queries(node.body, queried)) and any(
                map(self._is_pause, _calls_run_by(node.body))
            )
        return self._only_sleeps(node.body)

    def _is_pause(self, call: ast.Call) -> bool:
        """Return True if a call sleeps, directly or through a helper of the module."""
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
        """Return True if an iteration logs and sleeps and changes nothing."""
        calls = [n for n in nodes_run_by(body) if isinstance(n, ast.Call)]
        sleeps = any(map(self._is_pause, calls))
        plain = all(isinstance(statement, (ast.Expr, ast.Pass)) for statement in body)
        return sleeps and plain and all(is_between(c) or RENEWS.fullmatch(called_name(c)) for c in calls)


def _waits_by_itself(call: ast.Call) -> bool:
    """Return True if a call waits for its result, so that the loop does not poll."""
    return called_name(call) in _WAITS_FOR_END or _WAITS_BY_NAME.search(unparse(call)) is not None


def _only_leaves(branch: ast.If) -> bool:
    leaves = (ast.Return, ast.Break, ast.Raise)
    return not branch.orelse and isinstance(branch.body[-1], leaves)


def _calls_run_by(nodes: Sequence[ast.AST]) -> list[ast.Call]:
    return [node for node in nodes_run_by(nodes) if isinstance(node, ast.Call)]


def _is_state(node: ast.expr) -> bool:
    """Return True if a condition consists of attributes: ``job.is_done or job.has_failed``."""
    parts = node.values if isinstance(node, ast.BoolOp) else [node]
    return all(isinstance(part, ast.Attribute) for part in parts)


def _statements(body: Iterable[ast.stmt]) -> Iterable[ast.stmt]:
    """Yield the statements that run in every iteration, those in a ``with`` included."""
    for statement in body:
        yield statement
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            yield from _statements(statement.body)


def _is_retry(loop: ast.While | ast.For, attempt: ast.Try, awaited: str | None = None) -> bool:
    """Return True if the ``try`` leaves the loop on success and repeats it on failure."""
    handlers = [handler for handler in attempt.handlers if _starts_again(handler)]
    if not handlers or attempt.finalbody or not _tries_something(attempt):
        return False
    others = _nodes_outside(loop, attempt, handlers)
    if awaited is not None:
        ends = _ends_by_awaited_name(loop, attempt, others, awaited)
    else:
        ends = _ends_on_success(loop, attempt, others, handlers)
    return ends and not _makes_progress(attempt, others)


def _nodes_outside(
    loop: ast.While | ast.For, attempt: ast.Try, repeating: Sequence[ast.ExceptHandler]
) -> list[ast.AST]:
    """Return the nodes of a loop outside of an attempt; its handlers that repeat it are outside."""
    tried = [*attempt.body, *attempt.orelse]
    for handler in attempt.handlers:
        if handler not in repeating:
            tried += handler.body
    inside = set(map(id, nodes_run_by(tried)))
    return [node for node in nodes_run_by(loop.body) if id(node) not in inside]


def _ends_by_awaited_name(
    loop: ast.While | ast.For, attempt: ast.Try, others: Sequence[ast.AST], awaited: str
) -> bool:
    """Return True if only the name that the test waits for ends the loop."""
    if any(isinstance(n, (ast.Return, ast.Break, ast.Raise)) for n in others):
        return False
    counts = any(isinstance(n, ast.AugAssign) for n in nodes_run_by(loop.body))
    return not counts and any(assigns_name(statement, awaited) for statement in attempt.body + attempt.orelse)


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
    """Return True if a handler catches everything, or only errors that signal an outage."""
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
    return all(map(is_between, calls_before_sleep(handler.body)))


def _tries_something(attempt: ast.Try) -> bool:
    calls = [n for n in nodes_run_by(attempt.body) if isinstance(n, ast.Call)]
    return bool(calls) and not any(called_name(call) in ASKS_A_PERSON for call in calls)


def _makes_progress(attempt: ast.Try, others: Sequence[ast.AST]) -> bool:
    """Return True if a name the attempt reads is reassigned in each iteration, so attempts differ."""
    used = {
        n.id for n in nodes_run_by(attempt.body) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    }
    return any(isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id in used for n in others)


def _first_call(body: Sequence[ast.stmt]) -> str:
    return next(call_text(n) for n in nodes_run_by(body) if isinstance(n, ast.Call))


def _queried_names(body: Sequence[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that statements bind to the result of a query."""
    for statement in body:
        if isinstance(statement, ast.Assign) and is_query_result(statement.value):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    yield target.id, statement.value


def _leave(exits: Sequence[ast.If]) -> bool:
    """Return True if one of the conditions leaves the loop without an error."""
    return any(
        isinstance(n, (ast.Return, ast.Break)) for exit_if in exits for n in nodes_run_by(exit_if.body)
    )


def _is_poll(value: ast.expr) -> bool:
    """Return True for a query that neither counts nor waits for an end."""
    if not is_query_result(value) or COUNTS_OR_TIMES.search(unparse(value)):
        return False
    return not isinstance(value, ast.Call) or called_name(value) not in _WAITS_FOR_END


def _is_incidental(statement: ast.stmt, counts: Collection[str]) -> bool:
    """Return True for a statement that does not limit the loop."""
    if isinstance(statement, ast.AugAssign):
        return unparse(statement.target) not in counts
    return isinstance(statement, (ast.Assign, ast.Expr, ast.Pass))


def _compares_state(test: ast.expr) -> bool:
    kinds = (ast.Eq, ast.NotEq, ast.In, ast.NotIn, ast.Is)
    return isinstance(test, ast.Compare) and isinstance(test.ops[0], kinds)
