"""Polling loops: the query of each iteration, and the work between two queries."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from wardround.languages.python.module import names_in, nodes_run_by
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern

# Calls that a handler may make between two attempts without ending them.
BETWEEN_ATTEMPTS = LazyPattern(
    r"_*(sleep|log|debug|info|warning|warn|error|exception|critical|print|echo|write|format|str|repr|min"
    r"|max|random|uniform|inc|incr|increment|capture_(exception|message)|record_exception|add_breadcrumb"
    r"|(back_?off|pause|nap|delay|cool_?down|snooze|wait|sleep)(_\w+)?)"
)
ASKS_A_PERSON = frozenset(
    {"input", "raw_input", "prompt", "getpass", "ask", "confirm", "readline", "getkey", "getch"}
)
COUNTS_OR_TIMES = LazyPattern(
    r"time|clock|monotonic|deadline|elapsed|attempt|tries|count|now\b|len\b|size|poll|alive|returncode"
    r"|empty|pid"
    r"|stop|shut|exit|quit|cancel|running",
    re.IGNORECASE,
)
CONSUMES = LazyPattern(r"pop|recv|receive|read|next|accept|dequeue|take|consume|claim|fetchone|poll")
RENEWS = LazyPattern(r"(refresh|reload|update|fetch|load|sync)(_\w+)?")


def condition_queries(body: Sequence[ast.stmt], test: ast.expr) -> list[ast.stmt] | None:
    """Return the statements that query the value of a test; None if an iteration does anything else.

    ``reply = get(url); reply.raise_for_status(); state = reply.json()["state"]`` queries in two steps.
    """
    needed = names_in(test)
    text = unparse(test)
    queries: list[ast.stmt] = []
    for statement in reversed(body):
        if isinstance(statement, ast.Assign):
            if not _is_needed(statement.targets[0], needed, text):
                return None
            needed |= names_in(statement.value)
            queries += [statement] if is_query_result(statement.value) else []
        elif not _only_queries(statement):
            return None
    has_assignment = any(isinstance(statement, ast.Assign) for statement in body)
    return None if has_assignment and not queries else queries


def _is_needed(target: ast.expr, names: set[str], test: str) -> bool:
    """Return True if a test reads the target of an assignment, by itself or through names."""
    return (isinstance(target, ast.Name) and target.id in names) or unparse(target) in test


def _only_queries(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Pass):
        return True
    return isinstance(statement, ast.Expr) and all(map(is_side_query, calls_before_sleep([statement])))


def is_side_query(call: ast.Call) -> bool:
    """Return True if a call between two queries logs, refreshes the object, or reads the result."""
    name = called_name(call)
    return is_between(call) or RENEWS.fullmatch(name) is not None or name == "raise_for_status"


def is_query_result(value: ast.expr) -> bool:
    """Return True if a value is the current result of a query: a call, or a part of its result."""
    while isinstance(value, (ast.Await, ast.Attribute, ast.Subscript)):
        value = value.value
    if not isinstance(value, ast.Call):
        return False
    if isinstance(value.func, ast.Attribute) and isinstance(value.func.value, ast.Call):
        return is_query_result(value.func.value)
    name = called_name(value)
    if name == "get" and not value.args:
        return False
    return name not in ASKS_A_PERSON and not COUNTS_OR_TIMES.search(name) and not CONSUMES.match(name)


def is_between(call: ast.Call) -> bool:
    return BETWEEN_ATTEMPTS.fullmatch(called_name(call)) is not None


def calls_before_sleep(statements: Sequence[ast.stmt]) -> list[ast.Call]:
    """Return the calls of some statements, except those that compute the time to sleep."""
    calls = [n for n in nodes_run_by(statements) if isinstance(n, ast.Call)]
    pauses = [c for c in calls if called_name(c) == "sleep"]
    within = {id(n) for pause in pauses for value in pause.args for n in walk(value)}
    return [call for call in calls if id(call) not in within]


def call_text(node: ast.expr) -> str:
    node = node.value if isinstance(node, ast.Await) else node
    return f"{unparse(node.func)}()" if isinstance(node, ast.Call) else unparse(node)


def called_name(call: ast.Call) -> str:
    """Return the last part of the called name."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def awaited_value(test: ast.expr) -> str | None:
    """Return the name or attribute that a loop waits for to be true, or to exist."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        expected = test.operand
    elif isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is) and _is_none(test):
        expected = test.left
    else:
        return None
    return unparse(expected) if isinstance(expected, (ast.Name, ast.Attribute)) else None


def _is_none(test: ast.Compare) -> bool:
    against = test.comparators[0]
    return len(test.ops) == 1 and isinstance(against, ast.Constant) and against.value is None


def assigns_name(statement: ast.stmt, name: str) -> bool:
    return isinstance(statement, ast.Assign) and any(unparse(t) == name for t in statement.targets)
