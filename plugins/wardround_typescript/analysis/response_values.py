"""Variables of a function that hold the response to a request, or a value computed from others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wardround.languages.script.code import FUNCTIONS, Code, argument
from wardround.languages.script.syntax import Node, inside
from wardround_typescript.syntax.nodes import child, has_kind

_NAMES = ("identifier", "member_expression", "shorthand_property_identifier")


def response_names(code: Code, function: Node) -> set[str]:
    """Return the names of the awaited results in a function, and of values computed from them."""
    names: set[str] = set()
    for node in inside(function):
        match node.type:
            case "call_expression" if code.callee(node).endswith(".then"):
                names.update(_parameters_of_callback(code, node))
            case "variable_declarator" | "assignment_expression":
                value = child(node, "value") or child(node, "right")
                if value is not None and is_of_response(code, value, names):
                    names.update(code.names_in(child(node, "name") or child(node, "left")))
    return names


def _parameters_of_callback(code: Code, call: Node) -> Iterable[str]:
    callback = argument(call, 0)
    if not has_kind(callback, FUNCTIONS):
        return ()
    return code.names_in(child(callback, "parameter") or child(callback, "parameters"))


def is_of_response(code: Code, value: Node, names: set[str]) -> bool:
    """Return True if a value awaits an expression, or reads one of the names."""
    for part in inside(value):
        if part.type in ("await_expression", "yield_expression"):
            return True
        if part.type in _NAMES and code.text(part) in names:
            return True
    return False


def words_in(code: Code, node: Node) -> set[str]:
    """Return the variables and fields that a node reads."""
    return {code.text(part) for part in inside(node) if part.type in _NAMES}


def computed_from(code: Code, function: Node, changing: Sequence[str]) -> list[str]:
    """Return the variables of a function that are computed from the values that rerun it."""
    found: list[str] = []
    for node in inside(function):
        value = child(node, "value") if node.type == "variable_declarator" else None
        if value is None or value.type in ("arrow_function", "function_expression"):
            continue
        if not words_in(code, value).isdisjoint([*changing, *found]):
            found += code.names_in(child(node, "name"))
    return found
