"""The parameters of functions of TypeScript and JavaScript, and the members of classes and types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tree_sitter import Node

from wardround.languages.script.syntax import ScriptModule, inside, parse_script

_DECLARED = frozenset(
    {"function_declaration", "function_signature", "generator_function_declaration"}
    | {"arrow_function", "function_expression"}
)
_MEMBERS = frozenset({"method_definition", "method_signature", "abstract_method_signature"})
_TYPES = frozenset(
    {"class_declaration", "abstract_class_declaration", "interface_declaration", "enum_declaration"}
    | {"type_alias_declaration"}
)
_BODIES = frozenset({"object_type", "interface_body", "class_body", "enum_body"})
_COMBINED = frozenset({"intersection_type", "parenthesized_type", "generic_type", "type_arguments"})
_REFERENCES = frozenset({"type_identifier", "nested_type_identifier"})
_CLASSES = frozenset({"class_declaration", "abstract_class_declaration"})


class Parameters(NamedTuple):
    """The parameters of a function.

    Attributes:
        required: the number of arguments that a call needs.
        most: the number that a call may have; None without a limit.
        is_typed: a compiler requires the parameters without a default; scripts may omit them.
    """

    line: int
    required: int
    most: int | None
    is_typed: bool


def parameters(path: str, text: str) -> Mapping[str, Parameters]:
    """Return the parameters of the functions and methods of a module that have one signature."""
    module = parse_script(path, text)
    is_typed = path.endswith((".ts", ".tsx", ".mts", ".cts"))
    found: dict[str, list[Parameters]] = {}
    for name, node in _functions(module):
        found.setdefault(name, []).append(_parameters(module, node, is_typed=is_typed))
    return {name: all_[0] for name, all_ in found.items() if len(all_) == 1}


def members(path: str, text: str) -> Mapping[str, frozenset[str]]:
    """Return the direct members of the classes, interfaces and object types of a module."""
    module = parse_script(path, text)
    found: dict[str, frozenset[str]] = {}
    for declaration in _declaration_nodes(module):
        if declaration.type in _TYPES:
            held = frozenset(_member_names(module, declaration))
            found[_name(module, declaration)] = found.get(_name(module, declaration), frozenset()) | held
    return found


def heritage(path: str, text: str) -> Mapping[str, str]:
    """Return what the classes and types of a module extend or combine, as text, without layout."""
    module = parse_script(path, text)
    found: dict[str, str] = {}
    for declaration in _declaration_nodes(module):
        if declaration.type in _TYPES:
            parts = [
                part
                for part in declaration.named_children
                if "extends" in part.type or "heritage" in part.type
            ]
            value = declaration.child_by_field_name("value")
            parts += [part for part in inside(value) if part.type in _REFERENCES] if value is not None else []
            found[_name(module, declaration)] = " ".join("".join(module.of(part).split()) for part in parts)
    return found


def _member_names(module: ScriptModule, node: Node) -> Iterator[str]:
    """Yield the names in the bodies of a declaration, not those in the types of its members."""
    open_ = [node.child_by_field_name("body") or node.child_by_field_name("value")]
    while open_:
        item = open_.pop()
        if item is None:
            continue
        if item.type in _BODIES:
            names = (member.child_by_field_name("name") for member in item.named_children)
            yield from (module.of(name).strip("'\"") for name in names if name is not None)
        elif item.type in _COMBINED:
            open_ += item.named_children


def _declaration_nodes(module: ScriptModule) -> Iterator[Node]:
    """Yield the declarations of a module, exported or not."""
    for node in module.root.named_children:
        item = node.child_by_field_name("declaration") if node.type == "export_statement" else node
        item = item.named_children[0] if item is not None and item.type == "ambient_declaration" else item
        if item is not None:
            yield item


def _functions(module: ScriptModule) -> Iterator[tuple[str, Node]]:
    for declaration in _declaration_nodes(module):
        if declaration.type in _DECLARED:
            yield _name(module, declaration), declaration
        elif declaration.type in ("lexical_declaration", "variable_declaration"):
            for declarator in declaration.named_children:
                value = declarator.child_by_field_name("value")
                if value is not None and value.type in _DECLARED:
                    yield _name(module, declarator), value
        elif declaration.type in _CLASSES:
            yield from _methods(module, declaration)


def _methods(module: ScriptModule, node: Node) -> Iterator[tuple[str, Node]]:
    body = node.child_by_field_name("body")
    for member in body.named_children if body is not None else ():
        if member.type in _MEMBERS:
            yield f"{_name(module, node)}.{_name(module, member)}", member


def _name(module: ScriptModule, node: Node) -> str:
    name = node.child_by_field_name("name")
    return "" if name is None else module.of(name)


def _parameters(module: ScriptModule, node: Node, *, is_typed: bool) -> Parameters:
    listed = node.child_by_field_name("parameters")
    single = node.child_by_field_name("parameter")
    nodes = listed.named_children if listed is not None else [single] if single is not None else []
    nodes = [
        parameter
        for parameter in nodes
        if parameter.type != "comment" and not module.of(parameter).startswith("this:")
    ]
    has_rest = any(module.of(parameter).lstrip().startswith("...") for parameter in nodes)
    required = max(
        (at for at, parameter in enumerate(nodes, 1) if _is_required(module, parameter)), default=0
    )
    return Parameters(module.place(node)[0], required, None if has_rest else len(nodes), is_typed)


def _is_required(module: ScriptModule, node: Node) -> bool:
    if node.type in ("optional_parameter", "assignment_pattern", "rest_pattern"):
        return False
    text = module.of(node)
    has_default = node.child_by_field_name("value") is not None
    return not has_default and not text.startswith("...") and "undefined" not in text
