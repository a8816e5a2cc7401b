"""The lists that a file of configuration in JavaScript writes out, as plain values."""

from __future__ import annotations

from collections.abc import Iterator

from wardround.languages.script.syntax import Node, ScriptModule, inside

_TEXTS = frozenset({"string", "template_string"})
_DEEPEST = 20


def lists_of(path: str, text: str) -> Iterator[tuple[str, list[object]]]:
    """Yield the outermost lists of a file, each with its key or name.

    Values that are not literals, such as variables, are None; a name that is the value of a key is replaced
    by the list that it is bound to.
    """
    module = ScriptModule(path, text)
    named = dict(_named_values(module))
    for node in inside(module.root):
        if node.type == "array" and not _is_in_array(node):
            yield _key(module, node), _values(module, node, 0)
        elif node.type in ("pair", "shorthand_property_identifier"):
            key, name = _reference(module, node)
            if name in named:
                yield key, _values(module, named[name], 0)


def _named_values(module: ScriptModule) -> Iterator[tuple[str, Node]]:
    for node in inside(module.root):
        if node.type == "variable_declarator":
            name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
            if name is not None and value is not None and value.type == "array":
                yield module.of(name), value


def _reference(module: ScriptModule, node: Node) -> tuple[str, str]:
    """Return a key, and the name that is its value."""
    if node.type == "shorthand_property_identifier":
        return module.of(node), module.of(node)
    key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
    if key is None or value is None or value.type != "identifier":
        return "", ""
    return module.of(key), module.of(value)


def _is_in_array(node: Node) -> bool:
    above = node.parent
    while above is not None and above.type != "array":
        above = above.parent
    return above is not None


def _key(module: ScriptModule, node: Node) -> str:
    above = node.parent
    if above is None or above.type not in ("pair", "variable_declarator"):
        return ""
    key = above.child_by_field_name("key" if above.type == "pair" else "name")
    return module.of(key) if key is not None else ""


def _values(module: ScriptModule, node: Node, depth: int) -> list[object]:
    return [_value(module, child, depth + 1) for child in node.named_children if child.type != "comment"]


def _value(module: ScriptModule, node: Node, depth: int) -> object:
    if node.type in _TEXTS:
        return module.of(node)[1:-1]
    if depth > _DEEPEST:
        return None
    if node.type == "array":
        return _values(module, node, depth)
    if node.type == "object":
        return dict(_entries(module, node, depth))
    if node.type == "call_expression":  # as ``defineProject({...})``
        arguments = node.child_by_field_name("arguments")
        inner = arguments.named_children if arguments is not None else []
        return _value(module, inner[0], depth + 1) if len(inner) == 1 else None
    return None


def _entries(module: ScriptModule, node: Node, depth: int) -> Iterator[tuple[str, object]]:
    for child in node.named_children:
        key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
        if key is not None and value is not None:
            yield module.of(key).strip("\"'"), _value(module, value, depth + 1)
