"""Handlers of exceptions in a script, and the code that runs after them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from wardround.checks.lazy import LazyPattern
from wardround.languages.script.code import Code, argument, is_tested, own_nodes
from wardround.languages.script.syntax import Node, inside

_LEAVING = frozenset({"throw_statement", "return_statement", "continue_statement", "break_statement"})
_LEAVES_BY = LazyPattern(
    r"(?:^|\.)(?:next|reject|exit|abort|fail|redirect|notFound|done|callback|cb|status|send|json|rollback|destroy|sendStatus"
    r"|handle\w*Error|setError|setState|set[A-Z]\w*|dispatch|push)$"
)
_ANSWERS = LazyPattern(
    r"^(?:next|reject|done|callback|cb|fail)$|^(?:res|response|reply|ctx|socket)\.\w+|\.(?:reject|destroy|emit|fail)$"
)
_LINK = LazyPattern(r"\.(?:then|catch|finally)$")
_TELLS = LazyPattern(r"(?i)(?:^|\.)(?:console|log|logger|sentry|toast)\b|capture\w*|report\w*")


class Caught(NamedTuple):
    """A call whose failure is caught while more code follows.

    Attributes:
        called: the callee as written.
        place: the handler.
        leaves: True if the handler does more than report the failure.
        is_last: True if a failure skips no other statement.
    """

    called: str
    place: Node
    leaves: bool
    is_last: bool


def caught(code: Code, function: Node) -> Iterator[Caught]:
    """Yield the call statements of a function whose failure is caught while more code follows."""
    for node in own_nodes(function):
        handler = node.child_by_field_name("handler") if node.type == "try_statement" else None
        if handler is not None and _goes_on(node, function):
            leaves = _is_left(code, handler.child_by_field_name("body"))
            body = node.child_by_field_name("body")
            calls = list(_calls(body))
            last = body.named_children[-1] if body is not None and body.named_children else None
            for statement, call in calls:
                yield Caught(code.called(call), handler, leaves, statement == last)
        elif node.type == "await_expression" and _goes_on(_untested(code, node, function), function):
            yield from _chained(code, node.named_children[0])


def answered(code: Code, function: Node) -> Iterator[tuple[str, Node, bool]]:
    """Yield the handlers of a function: the call, the handler, and True if it responds to the caller."""
    for node in own_nodes(function):
        if node.type == "try_statement":
            handler = node.child_by_field_name("handler")
            body = handler.child_by_field_name("body") if handler is not None else None
            for _, call in _calls(node.child_by_field_name("body")):
                if handler is not None:
                    yield code.called(call), handler, _responds(code, body)
        elif node.type == "expression_statement":
            call = node.named_children[0]
            value = code.function_meant(argument(call, 0)) if _is_catch(code, call) else None
            if value is not None:
                yield _root(code, call), call, _responds(code, value.child_by_field_name("body"))


def _responds(code: Code, body: Node | None) -> bool:
    """Return True if a handler sends a response, calls back, or rejects."""
    calls = (code.called(one) for one in inside(body) if one.type == "call_expression") if body else ()
    return any(_ANSWERS.search(one) for one in calls)


def _is_catch(code: Code, call: Node) -> bool:
    return call.type == "call_expression" and code.called(call).endswith(".catch")


def _root(code: Code, call: Node) -> str:
    """Return the callee at the start of a promise chain."""
    node: Node = call
    while _LINK.search(code.called(node)):
        inner = node.child_by_field_name("function")
        held = inner.child_by_field_name("object") if inner is not None else None
        if held is None or held.type != "call_expression":
            break
        node = held
    return code.called(node)


def _untested(code: Code, node: Node, function: Node) -> Node:
    """Return the variable that receives a result without a test of it; else the result."""
    holder = node.parent
    if holder is None or holder.type != "variable_declarator":
        return node
    name = code.field(holder, "name")
    uses = code.named_in(function, name) if name.isidentifier() else []
    is_asked = any(is_tested(code, one) for one in uses) or f"{name}?." in code.text(function)
    return holder if len(uses) > 1 and not is_asked else node


def _chained(code: Code, call: Node) -> Iterator[Caught]:
    if not _is_catch(code, call):
        return
    value = code.function_meant(argument(call, 0))
    inner = call.child_by_field_name("function")
    held = inner.child_by_field_name("object") if inner is not None else None
    if value is None or held is None or held.type != "call_expression":
        return
    body = value.child_by_field_name("body")
    is_answer = body is not None and body.type not in (
        "statement_block",
        "call_expression",
        "undefined",
        "null",
    )
    yield Caught(code.called(held), call, is_answer or _is_left(code, body), True)


def _calls(body: Node | None) -> Iterator[tuple[Node, Node]]:
    """Yield the calls of a block, awaited or not, whose result is unused."""
    for one in body.named_children if body is not None else ():
        value = one.named_children[0] if one.type == "expression_statement" else None
        if value is not None and value.type == "await_expression":
            value = value.named_children[0]
        if value is not None and value.type == "call_expression":
            yield one, value


def _is_left(code: Code, body: Node | None) -> bool:
    """Return True if a handler does more than report the failure."""
    for one in inside(body) if body is not None else ():
        if one.type in _LEAVING or one.type.endswith("assignment_expression"):
            return True
        if one.type == "call_expression":
            called = code.called(one)
            if _LEAVES_BY.search(called) and not _TELLS.search(called):
                return True
    return False


def _goes_on(node: Node, function: Node) -> bool:
    """Return True if more code follows in the function, and the failure is not its result."""
    inner: Node = node
    while inner.parent is not None and inner.id != function.id:
        if inner.parent.type in (
            "return_statement",
            "variable_declarator",
            "assignment_expression",
            "arguments",
        ):
            return False
        following = inner.next_named_sibling
        while following is not None and following.type == "comment":
            following = following.next_named_sibling
        if inner.parent.type == "statement_block" and following is not None:
            return True
        if inner.parent.type == "finally_clause":
            return False
        inner = inner.parent
    return False
