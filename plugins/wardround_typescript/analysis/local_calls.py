"""Calls between the functions of one script."""

from __future__ import annotations

from wardround.languages.script.code import FUNCTIONS, Code
from wardround.languages.script.syntax import Node
from wardround_typescript.syntax.nodes import child, has_kind, is_kind

_DECLARATIONS = frozenset({"lexical_declaration", "variable_declaration"})


def all_calls(code: Code, function: Node) -> list[Node]:
    """Return the calls of a function that is only called; none if it is exported or passed as a value."""
    name = code.name_of(function)
    declaration = code.declaration(name, function) if name else None
    if declaration is None or code.function_of(name, function) != function:
        return []
    if _is_exported(declaration):
        return []
    own_name = child(declaration, "name")
    uses = [use for use in code.uses(declaration, name) if use != own_name]
    calls = [call for call in map(_call_by, uses) if call is not None]
    return calls if len(calls) == len(uses) else []


def _call_by(name: Node) -> Node | None:
    """Return the call whose callee is a name."""
    return name.parent if child(name.parent, "function") == name else None


def _is_exported(declaration: Node) -> bool:
    around = declaration.parent
    while has_kind(around, _DECLARATIONS):
        around = around.parent
    return is_kind(around, "export_statement")


def methods_of_name(code: Code, name: str) -> list[Node]:
    """Return the methods of classes, and the functions in object literals, that have a name."""
    return [*_methods(code, name), *_function_entries(code, name)]


def _methods(code: Code, name: str) -> list[Node]:
    methods = code.kinds("method_definition")
    return [method for method in methods if code.field(method, "name") == name]


def _function_entries(code: Code, key: str) -> list[Node]:
    """Return the functions that object literals have under a key."""
    pairs = (pair for pair in code.kinds("pair") if code.field(pair, "key") == key)
    values = (child(pair, "value") for pair in pairs)
    return [value for value in values if has_kind(value, FUNCTIONS)]
