"""The values that expressions pass on unchanged, as far as a test of them is concerned."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from wardround.languages.script.syntax import ScriptModule
from wardround_typescript.dataflow.nodes import bare, property_name
from wardround_typescript.syntax.nodes import child

_PATH_METHODS = frozenset({"resolve", "normalize"})
_TRANSPARENT_METHODS = frozenset(
    {"trim", "toString", "toLowerCase", "toUpperCase", "slice", "normalize", "join", "get"}
)
_TRANSPARENT_FUNCTIONS = frozenset({"String", "decodeURIComponent", "encodeURIComponent"})


def operand_of(module: ScriptModule, node: Node) -> Node | None:
    """Return the ``x`` of ``x.trim()``, ``String(x)`` or ``x = y``; None of another call."""
    node = bare(node)
    while node.type == "call_expression":
        operand = _operand_of_call(module, node)
        if operand is None:
            return None
        node = bare(operand)
    return (child(node, "left") or node) if node.type == "assignment_expression" else node


def _operand_of_call(module: ScriptModule, node: Node) -> Node | None:
    """Return the ``x`` of ``x.trim()`` or ``String(x)``."""
    function, arguments = child(node, "function"), child(node, "arguments")
    if function is None or arguments is None:
        return None
    operands = arguments.named_children
    if function.type == "member_expression":
        return _operand_of_method(module, function, operands)
    return operands[0] if operands and module.of(function) in _TRANSPARENT_FUNCTIONS else None


def _operand_of_method(module: ScriptModule, function: Node, operands: Sequence[Node]) -> Node | None:
    name = property_name(module, function)
    if operands and name in _PATH_METHODS and module.of(function).startswith("path."):
        return operands[-1]
    return child(function, "object") if name in _TRANSPARENT_METHODS else None
