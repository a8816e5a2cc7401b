"""Calls and elements in JavaScript and TypeScript, with what they pass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tree_sitter import Node

from wardround_contract.analysis.script_syntax import descendants, line_of, text_of, tree_of


class PassedKeys(NamedTuple):
    """The keys that a call or an element passes; ``has_spread``: and others that are not visible."""

    keys: frozenset[str]
    has_spread: bool


class Call(NamedTuple):
    """The arguments of a call; of each the keys, where it is an object literal."""

    arguments: int
    has_spread: bool
    objects: tuple[PassedKeys | None, ...]


def calls(path: str, text: str) -> Mapping[tuple[str, int], list[Call]]:
    """Return the calls of a file by the last name of the function and its line."""
    found: dict[tuple[str, int], list[Call]] = {}
    for node in descendants(tree_of(path, text)):
        name = _last_name(node)
        arguments = node.child_by_field_name("arguments") if name is not None else None
        if name is not None and arguments is not None and arguments.type == "arguments":
            found.setdefault((text_of(name), line_of(name)), []).append(_call(arguments))
    return found


def _call(arguments: Node) -> Call:
    values = [child for child in arguments.named_children if child.type != "comment"]
    has_spread = any(value.type == "spread_element" for value in values)
    objects = tuple(_object_keys(value) if value.type == "object" else None for value in values)
    return Call(len(values), has_spread, objects)


def _last_name(node: Node) -> Node | None:
    """Return the last name of the callee of a call or ``new``; None for other nodes."""
    if node.type not in ("call_expression", "new_expression"):
        return None
    function = node.child_by_field_name("function") or node.child_by_field_name("constructor")
    return function.child_by_field_name("property") or function if function is not None else None


def _object_keys(node: Node) -> PassedKeys:
    keys, has_spread = set(), False
    for child in node.named_children:
        if child.type in ("pair", "method_definition"):
            key = child.child_by_field_name("key") or child.child_by_field_name("name")
            has_spread = has_spread or (key is not None and key.type == "computed_property_name")
            keys.add(text_of(key).strip("'\""))
        elif child.type == "shorthand_property_identifier":
            keys.add(text_of(child))
        else:
            has_spread = has_spread or child.type == "spread_element"
    return PassedKeys(frozenset(keys), has_spread)


def elements(path: str, text: str) -> Mapping[tuple[str, int], list[PassedKeys]]:
    """Return the props of the elements of a file by the last name of the component and its line."""
    found: dict[tuple[str, int], list[PassedKeys]] = {}
    for node in descendants(tree_of(path, text)):
        if node.type not in ("jsx_opening_element", "jsx_self_closing_element"):
            continue
        name = node.child_by_field_name("name")
        if name is None:
            continue
        given = [child for child in node.named_children if child.type == "jsx_attribute"]
        keys = {text_of(attribute.named_children[0]) for attribute in given if attribute.named_children}
        has_spread = any(child.type == "jsx_expression" for child in node.named_children)
        if node.type == "jsx_opening_element":
            keys.add("children")
        label = text_of(name).rpartition(".")[2]
        found.setdefault((label, line_of(name)), []).append(PassedKeys(frozenset(keys), has_spread))
    return found
