"""Reading the syntax tree of libpg_query, which comes as nested dictionaries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Node = dict[str, Any]


def walk(node: object) -> Iterator[Node]:
    """Every dictionary below and with a node, in no particular order but the same each time."""
    stack = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, dict):
            yield one
            stack.extend(reversed(list(one.values())))
        elif isinstance(one, list):
            stack.extend(reversed(one))


def kinds(node: object, kind: str) -> Iterator[Node]:
    """The contents of every node of one kind, in source order as far as the tree has it."""
    for one in walk(node):
        if kind in one and isinstance(one[kind], dict):
            yield one[kind]


def is_select(node: Node) -> bool:
    """Whether a dictionary is the content of a SELECT, wrapped or not."""
    return "limitOption" in node and "op" in node


def unwrapped(node: object) -> tuple[str, Node]:
    """The kind and the content of a wrapped node; ("", {}) for anything else."""
    if isinstance(node, dict) and len(node) == 1:
        kind, content = next(iter(node.items()))
        if isinstance(content, dict):
            return kind, content
    return "", {}


def content(node: object, kind: str) -> Node | None:
    """The content of a node if it is of this kind."""
    if isinstance(node, dict):
        found = node.get(kind)
        return found if isinstance(found, dict) else None
    return None


def text_of(node: object) -> str:
    """The text of a String node; of anything else nothing."""
    if isinstance(node, dict):
        value = node.get("String", {}).get("sval", "")
        return value if isinstance(value, str) else ""
    return ""


def texts(nodes: object) -> list[str]:
    """The texts of a list of String nodes."""
    return [text_of(one) for one in nodes] if isinstance(nodes, list) else []


def items(node: object) -> list[Any]:
    """The items of a List node, or of a list."""
    if isinstance(node, list):
        return node
    found = content(node, "List")
    return found.get("items", []) if found else []


def type_name(node: Node) -> str:
    """The name of a TypeName, without ``pg_catalog``; arrays end in ``[]``."""
    names = [name for name in texts(node.get("names")) if name != "pg_catalog"]
    return ".".join(names).lower() + ("[]" if node.get("arrayBounds") else "")


def option(options: object, name: str) -> object:
    """The argument of a DefElem by its name; None if it is not there, True if it has no argument."""
    for one in options if isinstance(options, list) else ():
        element = content(one, "DefElem")
        if element and str(element.get("defname", "")).lower() == name:
            return element.get("arg", True)
    return None


def is_true(value: object) -> bool:
    """Whether an option's argument switches it on."""
    if value is None or value is True:
        return value is True
    kind, inside = unwrapped(value)
    if kind == "Boolean":
        return inside.get("boolval") is True
    if kind == "Integer":
        return bool(inside.get("ival"))
    if kind == "TypeName":
        return type_name(inside) in ("on", "true", "yes")
    return text_of(value).lower() in ("on", "true", "yes", "1")


def is_constant_true(node: object) -> bool:
    """Whether an expression is the literal TRUE, or ``1 = 1``."""
    constant = content(node, "A_Const")
    if constant is not None:
        return constant.get("boolval", {}).get("boolval") is True
    comparison = content(node, "A_Expr")
    if comparison is None or texts(comparison.get("name")) != ["="]:
        return False
    left, right = content(comparison.get("lexpr"), "A_Const"), content(comparison.get("rexpr"), "A_Const")
    return left is not None and right is not None and _value(left) == _value(right)


def _value(constant: Node) -> Node:
    return {key: value for key, value in constant.items() if key != "location"}


def function_name(call: Node) -> str:
    """The dotted name of a FuncCall, without ``pg_catalog``."""
    return ".".join(name for name in texts(call.get("funcname")) if name != "pg_catalog").lower()


def column_name(node: object) -> list[str]:
    """The parts of a ColumnRef: ``t.a`` -> ["t", "a"]; a star is ``*``; nothing for anything else."""
    reference = content(node, "ColumnRef")
    if reference is None:
        return []
    return ["*" if "A_Star" in part else text_of(part) for part in reference.get("fields", [])]


def without_places(node: object) -> object:
    """The same tree without locations, to compare two."""
    if isinstance(node, dict):
        return {key: without_places(value) for key, value in node.items() if key != "location"}
    return [without_places(one) for one in node] if isinstance(node, list) else node
