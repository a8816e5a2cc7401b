"""Nodes of the syntax tree of scripts: functions, and expressions without what wraps them."""

from __future__ import annotations

from tree_sitter import Node

from wardround.languages.script.syntax import ScriptModule

FUNCTIONS = frozenset(
    {
        "function_declaration", "function_expression", "arrow_function", "method_definition",
        "generator_function_declaration", "generator_function",
    }
)  # fmt: skip
_WRAPPED = frozenset(
    {"parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression",
    "await_expression",
     "type_assertion", "instantiation_expression"}
)  # fmt: skip


def bare(node: Node) -> Node:
    """Return an expression without the parentheses, casts and ``await`` around it."""
    while node.type in _WRAPPED:
        inner = (
            node.named_children[-1 if node.type == "type_assertion" else 0] if node.named_children else None
        )
        if inner is None:
            break
        node = inner
    return node


def wrapped_function(node: Node) -> Node | None:
    """A function, or the only one that a call wraps: ``useCallback(() => ...)``, ``asyncHandler(...)``."""
    if node.type in FUNCTIONS:
        return node
    if node.type == "call_expression":
        arguments = node.child_by_field_name("arguments")
        inner = [
            child
            for child in (arguments.named_children if arguments is not None else ())
            if child.type in FUNCTIONS
        ]
        return inner[0] if len(inner) == 1 else None
    return None


def type_name(module: ScriptModule, node: Node) -> str:
    """Return the name of the declared type of a field or a parameter, without its type arguments."""
    kind = node.child_by_field_name("type")
    return module.of(kind)[1:].strip().partition("<")[0] if kind is not None else ""


def field_text(module: ScriptModule, node: Node, name: str) -> str:
    """Return the source of a field of a node; empty if it has none."""
    child = node.child_by_field_name(name)
    return module.of(child) if child is not None else ""


def required_name(module: ScriptModule, node: Node) -> tuple[str, str] | None:
    """Return the (module, name) of ``require("x")``, ``require("x").y`` or ``await import("x")``."""
    name = "*"
    while node.type == "member_expression":
        last = field_text(module, node, "property")
        name = last if name == "*" else f"{last}.{name}"
        owner = node.child_by_field_name("object")
        if owner is None:
            return None
        node = bare(owner)
    if node.type != "call_expression" or field_text(module, node, "function") not in {"require", "import"}:
        return None
    arguments = node.child_by_field_name("arguments")
    first = arguments.named_children[0] if arguments is not None and arguments.named_children else None
    if first is None or first.type != "string":
        return None
    return module.of(first)[1:-1], name


def property_name(module: ScriptModule, node: Node) -> str | None:
    """Return the name of the property that ``a.b`` or ``a["b"]`` reads."""
    if node.type == "member_expression":
        name = node.child_by_field_name("property")
        return module.of(name) if name is not None else None
    index = node.child_by_field_name("index")
    if index is not None and index.type in {"string", "number"}:
        return module.of(index).strip("'\"")
    return None
