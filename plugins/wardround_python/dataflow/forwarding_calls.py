"""Calls that forward their arguments: to another function, a log, a mail or a record."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.checks.lazy import LazyPattern
from wardround.languages.python.module import PythonModule, last_name
from wardround.languages.python.tree import unparse
from wardround_python.dataflow.domain import SinkKind
from wardround_python.dataflow.expression_shapes import holes_of

# Calls that run a function argument, later or elsewhere -> the position of that argument.
_RELAYS = {
    "submit": 0, "add_task": 0, "enqueue": 0, "start_soon": 0, "call_soon": 0, "to_thread": 0,
    "run_in_threadpool": 0, "partial": 0, "run_in_executor": 1, "call_later": 1, "run_sync": 0,
}  # fmt: skip
_TASKS = frozenset({"delay", "s", "si", "defer", "send"})
"""Methods of a task that run it with their arguments."""
_LEVELS = frozenset({"debug", "info", "warning", "warn", "error", "critical", "exception"})
_LOG = LazyPattern(r"(?i)(^|[._])(log|logger|logging|audit_?log|trail)$")
_MAIL = LazyPattern(
    r"(?i)^(?!(is|get|has|validate|parse|check|normali[sz]e|clean|find|by|set|split|extract)_)"
    r"(send|queue|enqueue|deliver|schedule)?_?(\w+_)?(e?mails?|invite|invitation)(_\w+)?$|^EmailM\w+$|"
    r"^MIMEText$|^Message$|^send_(message|reset|confirmation|verification|invitation|welcome|link)\w*$|"
    r"^render_to_string$|^sendmail$"
)
_RECORDS = LazyPattern(r"(^|\.)(models?|entities|tables|orm)(\.|$)")
_MAKING = frozenset(
    {
        "create",
        "update",
        "get_or_create",
        "update_or_create",
        "values",
        "acreate",
        "aupdate",
    }
)
_RECORD_BASE = LazyPattern(r"(^|\.)(Base|Model|DeclarativeBase|Document)$")


def relayed_call(node: ast.Call) -> ast.Call | None:
    """Return the forwarded call: ``task.delay(x)``, ``pool.submit(f, x)`` -> ``task(x)``, ``f(x)``."""
    if not isinstance(node.func, (ast.Attribute, ast.Name)):
        return None
    last = last_name(node.func)
    if last in _TASKS and isinstance(node.func, ast.Attribute):
        func, values, named = node.func.value, node.args, node.keywords
    elif last == "apply_async" and isinstance(node.func, ast.Attribute):
        func, named = node.func.value, []
        spread = [*node.args[:1], *(k.value for k in node.keywords if k.arg == "args")]
        values = list(spread[0].elts) if spread and isinstance(spread[0], (ast.Tuple, ast.List)) else []
    elif last in _RELAYS and len(node.args) > _RELAYS[last]:
        at = _RELAYS[last]
        func, values, named = node.args[at], node.args[at + 1 :], node.keywords
    else:
        return None
    if not isinstance(func, (ast.Name, ast.Attribute)) or (last == "send" and not isinstance(func, ast.Name)):
        return None
    return ast.copy_location(ast.Call(func, values, named), node)


def forwarded_sinks(call: ast.Call) -> Iterator[tuple[SinkKind, ast.expr]]:
    """Yield the arguments that a call forwards to a log, a mail or a record."""
    last = last_name(call.func)
    if last in _LEVELS and isinstance(call.func, ast.Attribute) and call.args:
        if _LOG.search(unparse(call.func.value)):
            yield from _logged(call)
    elif _MAIL.search(last):
        arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
        yield from ((SinkKind.HOST, value) for value in arguments)
    elif isinstance(call.func, ast.Attribute) and call.args:
        yield from ((SinkKind.FIELDS, item) for item in _written(call, call.func))


def _written(call: ast.Call, func: ast.Attribute) -> Iterator[ast.expr]:
    """Yield the mapping whose keys choose the fields that are written: of a document, a row or an object."""
    if func.attr in {"insert_one", "replace_one"}:
        yield call.args[-1]
    elif func.attr in {"update_one", "update_many", "find_one_and_update"} and len(call.args) > 1:
        change = call.args[1]
        pairs = zip(change.keys, change.values, strict=True) if isinstance(change, ast.Dict) else ()
        yield from (v for k, v in pairs if isinstance(k, ast.Constant) and k.value == "$set")
    elif func.attr == "update" and len(call.args) == 1:
        on = unparse(func.value)
        if (
            on.endswith(".session")
            or on == "session"
            or on.endswith("__dict__")
            or ".query" in on
            or "filter" in on
            or ".objects" in on
        ):
            yield call.args[0]


def _logged(call: ast.Call) -> Iterator[tuple[SinkKind, ast.expr]]:
    message, *given = call.args
    yield SinkKind.LOG, message
    text = message.value if isinstance(message, ast.Constant) and isinstance(message.value, str) else ""
    holes = holes_of(text)
    for at, item in enumerate(given):
        if at >= len(holes) or holes[at] == "s":
            yield SinkKind.LOG, item


def writes_fields(module: PythonModule, node: ast.Call) -> bool:
    """Return True if a call with ``**values`` creates or changes a record, by its model or its manager."""
    last = last_name(node.func)
    if last in _MAKING and isinstance(node.func, ast.Attribute):
        text = unparse(node.func.value)
        return ".objects" in text or "query" in text.lower() or "filter(" in text or last == "values"
    if not last[:1].isupper():
        return False
    dotted = module.imported_name(node.func)
    if dotted is not None:
        return _RECORDS.search(dotted.rpartition(".")[0]) is not None
    return isinstance(node.func, ast.Name) and any(
        _RECORD_BASE.search(unparse(base)) for cls in module.top_classes.get(last, ()) for base in cls.bases
    )


_COOKIES = frozenset(
    {"set_signed_cookie", "set_secure_cookie", "get_signed_cookie", "get_secure_cookie"}
)  # fmt: skip


def session_call(func: ast.Attribute, node: ast.Call) -> str | None:
    """Return the key of a session or signed cookie that a call reads or writes; None for other calls."""
    if not node.args or not isinstance(node.args[0], ast.Constant):
        return None
    is_session = func.attr in {"get", "pop"} and last_name(func.value) == "session"
    return str(node.args[0].value) if is_session or func.attr in _COOKIES else None


def is_own_call(node: ast.Call, in_view: bool) -> bool:
    """Return True if a handler responds by a method of its own, as Tornado's do."""
    return (
        in_view
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {"redirect", "write", "finish"}
        and unparse(node.func.value) in {"self", "self.wfile"}
    )
