"""Handlers of exceptions in a script, and the code that runs after them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from wardround.languages.script.code import Code, argument, is_tested, own_nodes
from wardround.languages.script.syntax import Node, inside
from wardround.lazy import LazyPattern
from wardround_typescript.syntax.nodes import (
    ancestors,
    child,
    is_kind,
    last_part,
    parts,
    siblings_after,
)

_LEAVING = frozenset({"throw_statement", "return_statement", "continue_statement", "break_statement"})
_LEAVES_BY = LazyPattern(
    r"(?:^|\.)(?:next|reject|exit|abort|fail|redirect|notFound|done|callback|cb|status|send|json|rollback|destroy|sendStatus"
    r"|handle\w*Error|setError|setState|set[A-Z]\w*|dispatch|push)$"
)
_TELLS = LazyPattern(r"(?i)(?:^|\.)(?:console|log|logger|sentry|toast)\b|capture\w*|report\w*")
_RECEIVERS = frozenset({"return_statement", "variable_declarator", "assignment_expression", "arguments"})
"""Nodes that receive a value, so that a failure is a result."""
_WITHOUT_RESULT = frozenset({"statement_block", "call_expression", "undefined", "null"})


class CaughtCall(NamedTuple):
    """A call whose failure is caught while more code follows.

    Attributes:
        called: the callee verbatim.
        place: the handler.
        leaves: True if the handler does more than report the failure.
        is_last: True if a failure skips no other statement.
    """

    called: str
    place: Node
    leaves: bool
    is_last: bool


def caught_calls(code: Code, function: Node) -> Iterator[CaughtCall]:
    """Yield the call statements of a function whose failure is caught while more code follows."""
    for node in own_nodes(function):
        match node.type:
            case "try_statement":
                yield from _handlers_around(code, node, function)
            case "await_expression" if _continues_after(_untested_node(code, node, function), function):
                yield from _chained_calls(code, node.named_children[0])


def _handlers_around(code: Code, statement: Node, function: Node) -> Iterator[CaughtCall]:
    handler = child(statement, "handler")
    if handler is None or not _continues_after(statement, function):
        return
    leaves = _continues_after_report(code, child(handler, "body"))
    body = child(statement, "body")
    last = last_part(body)
    for inner, call in _calls(body):
        yield CaughtCall(code.callee(call), handler, leaves, inner == last)


def _is_catch(code: Code, call: Node) -> bool:
    return call.type == "call_expression" and code.callee(call).endswith(".catch")


def _untested_node(code: Code, node: Node, function: Node) -> Node:
    """Return the variable that receives a result without a test of it; else the result."""
    holder = node.parent
    if not is_kind(holder, "variable_declarator"):
        return node
    name = code.field(holder, "name")
    uses = code.named_in(function, name) if name.isidentifier() else []
    if len(uses) < 2 or any(is_tested(code, use) for use in uses):
        return node
    return node if f"{name}?." in code.text(function) else holder


def _chained_calls(code: Code, call: Node) -> Iterator[CaughtCall]:
    """Yield the call before ``.catch(handler)``."""
    handler = code.referenced_function(argument(call, 0)) if _is_catch(code, call) else None
    failing = child(child(call, "function"), "object")
    if handler is None or not is_kind(failing, "call_expression"):
        return
    body = child(handler, "body")
    is_result = body is not None and body.type not in _WITHOUT_RESULT
    yield CaughtCall(code.callee(failing), call, is_result or _continues_after_report(code, body), True)


def _calls(body: Node | None) -> Iterator[tuple[Node, Node]]:
    """Yield the calls of a block, awaited or not, whose result is unused."""
    for statement in parts(body):
        value = statement.named_children[0] if statement.type == "expression_statement" else None
        call = value.named_children[0] if is_kind(value, "await_expression") else value
        if is_kind(call, "call_expression"):
            yield statement, call


def _continues_after_report(code: Code, body: Node | None) -> bool:
    """Return True if a handler does more than report the failure."""
    return body is not None and any(_handles_failure(code, node) for node in inside(body))


def _handles_failure(code: Code, node: Node) -> bool:
    if node.type in _LEAVING or node.type.endswith("assignment_expression"):
        return True
    called = code.callee(node) if node.type == "call_expression" else ""
    return _LEAVES_BY.search(called) is not None and not _TELLS.search(called)


def _continues_after(node: Node, function: Node) -> bool:
    """Return True if more code follows in the function, and the failure is not its result."""
    inner = node
    for around in ancestors(node):
        if inner.id == function.id or around.type in _RECEIVERS:
            return False
        if around.type == "statement_block" and _has_following(inner):
            return True
        if around.type == "finally_clause":
            return False
        inner = around
    return False


def _has_following(statement: Node) -> bool:
    return any(following.type != "comment" for following in siblings_after(statement))
