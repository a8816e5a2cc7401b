"""Access to the syntax tree of libpg_query, which consists of nested dictionaries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Node = dict[str, Any]

_DEEPEST = 800
"""Levels of dictionaries and lists; an operator takes three."""


def walk(node: object) -> Iterator[Node]:
    """Yield every dictionary of a node, itself included, in a deterministic order."""
    stack: list[Node | list[Any]] = [node] if isinstance(node, (dict, list)) else []
    while stack:
        result = stack.pop()
        if isinstance(result, dict):
            yield result
        for below in reversed(result.values() if isinstance(result, dict) else result):
            if isinstance(below, (dict, list)):
                stack.append(below)  # noqa: PERF401  (a list made first takes longer: most are short)


def is_too_deep(node: object) -> bool:
    """Return True if a tree is too deep for recursive checks."""
    level = [node] if isinstance(node, (dict, list)) else []
    for _ in range(_DEEPEST):
        if not level:
            return False
        level = [
            below
            for item in level
            for below in (item.values() if isinstance(item, dict) else item)
            if isinstance(below, (dict, list))
        ]
    return True


def kinds(node: object, kind: str) -> Iterator[Node]:
    """Yield the contents of every node of one kind, roughly in source order."""
    for child in walk(node):
        if kind in child and isinstance(child[kind], dict):
            yield child[kind]


def members(nodes: object, kind: str) -> Iterator[Node]:
    """Yield the contents of a list's items of one kind, without descending into them."""
    for node in nodes if isinstance(nodes, list) else ():
        result = content(node, kind)
        if result is not None:
            yield result


def is_select(node: Node) -> bool:
    """Return True if a dictionary is the content of a SELECT, wrapped or not."""
    return "limitOption" in node and "op" in node


def unwrap(node: object) -> tuple[str, Node]:
    """Return kind and content of a wrapped node; ("", {}) for anything else."""
    if isinstance(node, dict) and len(node) == 1:
        kind, content = next(iter(node.items()))
        if isinstance(content, dict):
            return kind, content
    return "", {}


def content(node: object, kind: str) -> Node | None:
    """Return the content of a node of the given kind, else None."""
    if isinstance(node, dict):
        result = node.get(kind)
        return result if isinstance(result, dict) else None
    return None


def text_of(node: object) -> str:
    """Return the value of a String node; empty for anything else."""
    if isinstance(node, dict):
        value = node.get("String", {}).get("sval", "")
        return value if isinstance(value, str) else ""
    return ""


def texts(nodes: object) -> list[str]:
    """Return the values of a list of String nodes."""
    return [text_of(node) for node in nodes] if isinstance(nodes, list) else []


def items(node: object) -> list[Any]:
    """Return the items of a List node, or of a list."""
    if isinstance(node, list):
        return node
    result = content(node, "List")
    return result.get("items", []) if result else []


def type_name(node: Node) -> str:
    """Return the name of a TypeName, without ``pg_catalog``; arrays end in ``[]``."""
    names = [name for name in texts(node.get("names")) if name != "pg_catalog"]
    return ".".join(names).lower() + ("[]" if node.get("arrayBounds") else "")


def option(options: object, name: str) -> object:
    """Return the argument of a DefElem by name; None if it is absent, True if it has no argument."""
    for item in options if isinstance(options, list) else ():
        element = content(item, "DefElem")
        if element and str(element.get("defname", "")).lower() == name:
            return element.get("arg", True)
    return None


def is_true(value: object) -> bool:
    """Return True if an option's argument enables it."""
    if value is None or value is True:
        return value is True
    kind, inside = unwrap(value)
    if kind == "Boolean":
        return inside.get("boolval") is True
    if kind == "Integer":
        return bool(inside.get("ival"))
    if kind == "TypeName":
        return type_name(inside) in ("on", "true", "yes")
    return text_of(value).lower() in ("on", "true", "yes", "1")


def is_constant_true(node: object) -> bool:
    """Return True if an expression is true for every row: TRUE, ``1 = 1``, or an OR with one of them."""
    return constant_truth(node) is True


def constant_truth(node: object) -> bool | None:
    """Return the constant truth value of an expression; None if it is not constant."""
    kind, inside = unwrap(node)
    match kind:
        case "A_Const":
            result = inside.get("boolval")
            return result.get("boolval") is True if isinstance(result, dict) else None
        case "TypeCast" if type_name(inside.get("typeName", {})) in ("bool", "boolean"):
            return _cast_truth(inside.get("arg"))
        case "BoolExpr":
            return _joined_truth(inside)
        case "NullTest":
            return _null_truth(inside)
        case "A_Expr" if inside.get("kind") == "AEXPR_OP":
            return _compared_truth(inside)
    return None


def _null_truth(test: Node) -> bool | None:
    """Return the truth of ``IS NULL`` or ``IS NOT NULL`` of a constant."""
    constant = content(test.get("arg"), "A_Const")
    if not constant:
        return None
    is_null = constant.get("isnull") is True
    return is_null == (test.get("nulltesttype") == "IS_NULL")


def _cast_truth(argument: object) -> bool | None:
    word = (content(argument, "A_Const") or {}).get("sval", {}).get("sval", "").lower()
    known = {"t": True, "true": True, "f": False, "false": False}
    return known.get(word) if word else constant_truth(argument)


def _joined_truth(expression: Node) -> bool | None:
    parts = [constant_truth(argument) for argument in expression.get("args", [])]
    if expression.get("boolop") == "NOT_EXPR":
        return None if parts[0] is None else not parts[0]
    decisive = expression.get("boolop") == "OR_EXPR"
    if decisive in parts:
        return decisive
    return None if None in parts else not decisive


def _compared_truth(comparison: Node) -> bool | None:
    operands = [content(comparison.get(side), "A_Const") for side in ("lexpr", "rexpr")]
    left, right = (_value(item) if item and not item.get("isnull") else None for item in operands)
    sign = texts(comparison.get("name"))
    if left is None or right is None or sign not in (["="], ["<>"]):
        return None
    return (left == right) == (sign == ["="])


def _value(constant: Node) -> Node:
    return {key: value for key, value in constant.items() if key != "location"}


def function_name(call: Node) -> str:
    """Return the dotted name of a FuncCall, without ``pg_catalog``."""
    return ".".join(name for name in texts(call.get("funcname")) if name != "pg_catalog").lower()


def column_name(node: object) -> list[str]:
    """Return the parts of a ColumnRef: ``t.a`` -> ["t", "a"]; a star is ``*``; else empty."""
    reference = content(node, "ColumnRef")
    if reference is None:
        return []
    return ["*" if "A_Star" in part else text_of(part) for part in reference.get("fields", [])]


def strip_locations(node: object) -> object:
    """Return the tree without locations, for comparison."""
    if isinstance(node, dict):
        return {key: strip_locations(value) for key, value in node.items() if key != "location"}
    return [strip_locations(item) for item in node] if isinstance(node, list) else node
