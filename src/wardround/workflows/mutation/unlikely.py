"""Code whose edits change nothing that tests should notice: logs, messages, limits of time and size."""

from __future__ import annotations

import ast

from wardround.languages.python.module import FunctionNode, last_name
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern

_LOGS = frozenset(
    {"debug", "info", "warning", "warn", "error", "exception", "critical", "log", "print", "echo"}
)
_WITHOUT_RESULT = frozenset(
    {"close", "flush", "fsync", "sleep", "collect", "shutdown", "cleanup", "join", "wait"}
)
_FUNCTIONS = LazyPattern(
    r"^(?:__repr__|__str__|__del__|__hash__|__dir__|__sizeof__|__rich_repr__)$|debug|log"
)
_CONDITIONS = LazyPattern(
    r"\b(?:TYPE_CHECKING|__debug__|version_info|platform|isEnabledFor|os\.name|__name__)\b"
    r"|(?i:debug|verbose|trace|profil|cache|memo|pypy|windows|darwin|linux)|\bPY\d"
)
_TUNING = LazyPattern(
    r"(?i:timeout|stacklevel|maxsize|max_size|interval|delay|retries|indent|width|depth|buffer|chunk|limit|"
    r"daemon|flush|ensure_ascii|encoding|errors|newline|exc_info|stack_info|nlocals)"
)
_EXCLUDED_LINES = LazyPattern(r"#\s*(?:pragma:\s*no\s*(?:cover|mutate|branch))")
_LARGEST_NUMBER = 1000


def is_unlikely_function(node: FunctionNode) -> bool:
    """Return True for a function that serves people who debug, or that has no body of its own."""
    names = [
        last_name(decorator.func if isinstance(decorator, ast.Call) else decorator)
        for decorator in node.decorator_list
    ]
    return bool(_FUNCTIONS.search(node.name)) or not {"abstractmethod", "overload"}.isdisjoint(names)


def is_unlikely_call(node: ast.Call) -> bool:
    """Return True for a call that logs, warns, frees something, or calls a hook of a base class."""
    name = last_name(node.func)
    is_without_result = name in _LOGS or name in _WITHOUT_RESULT or _is_hook_of_base(node.func)
    return is_without_result or _is_written_to_terminal(node.func)


def is_message(node: ast.stmt) -> bool:
    """Return True for a statement whose expressions only build a message, or decide whether there is one."""
    if isinstance(node, ast.Raise | ast.Assert):
        return True
    if isinstance(node, ast.If):
        return not node.orelse and all(
            isinstance(statement, ast.Expr) and is_message(statement) for statement in node.body
        )
    is_call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    return is_call and is_unlikely_call(node.value)  # type: ignore[attr-defined]


def is_unlikely_condition(test: ast.expr) -> bool:
    """Return True for a condition on the platform, on debugging, or on a cache."""
    return bool(_CONDITIONS.search(unparse(test)))


def is_tuning(name: str) -> bool:
    """Return True for the name of a parameter that limits time or size, or lays out text."""
    return bool(_TUNING.search(name))


def is_arbitrary(number: float) -> bool:
    """Return True for a number that is probably a limit; nearby ones do as well."""
    return number > _LARGEST_NUMBER


def is_excluded_line(line: str) -> bool:
    """Return True for a line that its author excludes from coverage or mutation."""
    return bool(_EXCLUDED_LINES.search(line))


def is_clamp(node: ast.If | ast.IfExp) -> bool:
    """Return True for ``a if a < b else b`` and ``if a < b: a = b``: equal values has no effect."""
    test = node.test
    if not isinstance(test, ast.Compare):
        return False
    compared = {ast.dump(comparator) for comparator in (test.left, *test.comparators)}
    if isinstance(node, ast.IfExp):
        return {ast.dump(node.body), ast.dump(node.orelse)} <= compared
    only = node.body[0]
    value = only.value if isinstance(only, ast.Assign | ast.Return) else None
    return len(node.body) == 1 and value is not None and ast.dump(value).replace("Store", "Load") in compared


def _is_hook_of_base(called: ast.expr) -> bool:
    """Return True for a method of ``super()``, which often does nothing that its caller needs."""
    inner = called.value if isinstance(called, ast.Attribute) else None
    return isinstance(inner, ast.Call) and last_name(inner.func) == "super"


def _is_written_to_terminal(called: ast.expr) -> bool:
    return unparse(called) in ("sys.stdout.write", "sys.stderr.write", "click.secho")
