"""Calls that forward their arguments: to another function, a log, a mail or a record."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.languages.python.module import PythonModule, last_name
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround_python.dataflow.domain import SinkKind
from wardround_python.dataflow.expression_shapes import holes_of
from wardround_python.syntax.assignments import constant_entries
from wardround_python.syntax.calls import keyword_values, passed_values

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
    func = node.func
    last = last_name(func)
    if last in _TASKS and isinstance(func, ast.Attribute):
        relayed = ast.Call(func.value, node.args, node.keywords)
    elif last == "apply_async" and isinstance(func, ast.Attribute):
        relayed = ast.Call(func.value, _listed_arguments(node), [])
    elif last in _RELAYS and len(node.args) > _RELAYS[last]:
        position = _RELAYS[last]
        relayed = ast.Call(node.args[position], node.args[position + 1 :], node.keywords)
    else:
        return None
    kinds = ast.Name if last == "send" else (ast.Name, ast.Attribute)
    return ast.copy_location(relayed, node) if isinstance(relayed.func, kinds) else None


def _listed_arguments(node: ast.Call) -> list[ast.expr]:
    """Return the arguments in ``apply_async((x, y))``."""
    values = [*node.args[:1], *keyword_values(node, "args")]
    return values[0].elts if values and isinstance(values[0], (ast.Tuple, ast.List)) else []


def forwarded_sinks(call: ast.Call) -> Iterator[tuple[SinkKind, ast.expr]]:
    """Yield the arguments that a call forwards to a log, a mail or a record."""
    last = last_name(call.func)
    receiver = call.func.value if isinstance(call.func, ast.Attribute) and call.args else None
    if receiver is not None and last in _LEVELS:
        if _LOG.search(unparse(receiver)):
            yield from _logged_values(call)
    elif _MAIL.search(last):
        yield from ((SinkKind.HOST, value) for value in passed_values(call))
    elif receiver is not None:
        yield from ((SinkKind.FIELDS, mapping) for mapping in _field_mappings(call, last, receiver))


def _field_mappings(call: ast.Call, method: str, receiver: ast.expr) -> Iterator[ast.expr]:
    """Yield the mapping whose keys choose the fields that are written: of a document, a row or an object."""
    match method:
        case "insert_one" | "replace_one":
            yield call.args[-1]
        case "update_one" | "update_many" | "find_one_and_update" if len(call.args) > 1:
            change = call.args[1]
            entries = constant_entries(change) if isinstance(change, ast.Dict) else []
            yield from (value for key, value in entries if key == "$set")
        case "update" if len(call.args) == 1 and _is_record(unparse(receiver)):
            yield call.args[0]


def _is_record(receiver: str) -> bool:
    """Return True if ``update`` of an object changes a session, a record or an object's fields."""
    if receiver == "session" or receiver.endswith((".session", "__dict__")):
        return True
    return any(part in receiver for part in (".query", "filter", ".objects"))


def _logged_values(call: ast.Call) -> Iterator[tuple[SinkKind, ast.expr]]:
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
        return last == "values" or _is_manager(unparse(node.func.value))
    if not last[:1].isupper():
        return False
    dotted = module.imported_name(node.func)
    if dotted is not None:
        return _RECORDS.search(dotted.rpartition(".")[0]) is not None
    return isinstance(node.func, ast.Name) and _extends_record(module, last)


def _is_manager(receiver: str) -> bool:
    return ".objects" in receiver or "query" in receiver.lower() or "filter(" in receiver


def _extends_record(module: PythonModule, name: str) -> bool:
    """Return True if a class of the module extends a record."""
    bases = [base for holder in module.top_classes.get(name, ()) for base in holder.bases]
    return any(_RECORD_BASE.search(unparse(base)) for base in bases)


_COOKIES = frozenset(
    {"set_signed_cookie", "set_secure_cookie", "get_signed_cookie", "get_secure_cookie"}
)  # fmt: skip


def session_call(func: ast.Attribute, node: ast.Call) -> str | None:
    """Return the key of a session or signed cookie that a call reads or writes; None for other calls."""
    if not node.args or not isinstance(node.args[0], ast.Constant):
        return None
    is_session = func.attr in {"get", "pop"} and last_name(func.value) == "session"
    return str(node.args[0].value) if is_session or func.attr in _COOKIES else None


def is_response_by_own_method(node: ast.Call, in_view: bool) -> bool:
    """Return True if a handler responds by calling one of its own methods, as in Tornado."""
    return (
        in_view
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {"redirect", "write", "finish"}
        and unparse(node.func.value) in {"self", "self.wfile"}
    )
