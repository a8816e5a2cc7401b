"""Constant folding: the values of expressions of literals and constants."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping

from tree_sitter import Node

from wardround_typescript.dataflow.nodes import bare, field_text
from wardround_typescript.dataflow.scope import ModuleScope
from wardround_typescript.syntax.nodes import child, nearest

Constant = str | int | float | bool
_DEEPEST = 8
_LONGEST = 2_000

_NUMBERS: Mapping[str, Callable[[float, float], float]] = {
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "%": operator.mod,
}
_ORDERS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
_EQUALITIES = frozenset({"===", "!==", "==", "!="})
_BLOCKS = frozenset({"statement_block", "program", "for_statement"})


def fold(scope: ModuleScope, node: Node, depth: int = 0) -> Constant | None:
    """Return the value of an expression of literals and constants; None for any other expression."""
    node = bare(node)
    reader = _READERS.get(node.type)
    if reader is None or depth > _DEEPEST or node.end_byte - node.start_byte > _LONGEST:
        return None
    return reader(scope, node, depth + 1)


def _fold_string(scope: ModuleScope, node: Node, depth: int) -> Constant | None:
    text = scope.module.of(node)[1:-1]
    return None if "\\" in text or "${" in text else text


def _number(scope: ModuleScope, node: Node, depth: int) -> Constant | None:
    text = scope.module.of(node).replace("_", "")
    try:
        return int(text, 0)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return None


def _name(scope: ModuleScope, node: Node, depth: int) -> Constant | None:
    name = scope.module.of(node)
    value = scope.declared.get(name)
    if value is None or name in scope.changed or not _is_seen(value, node):
        return None
    return fold(scope, value, depth)


def _is_seen(value: Node, at: Node) -> bool:
    """Return True if the block of a declaration contains the node that uses it."""
    block = nearest(value, _BLOCKS)
    return block is not None and block.start_byte <= at.start_byte < block.end_byte


def _fold_field(scope: ModuleScope, node: Node, field: str, depth: int) -> Constant | None:
    part = node.child_by_field_name(field)
    return fold(scope, part, depth) if part is not None else None


def _unary(scope: ModuleScope, node: Node, depth: int) -> Constant | None:
    value = _fold_field(scope, node, "argument", depth)
    if value is None:
        return None
    match scope.module.of(node)[:1]:
        case "!":
            return not value
        case "-" if not isinstance(value, str):
            return -value
    return None


def _binary(scope: ModuleScope, node: Node, depth: int) -> Constant | None:
    sign = field_text(scope.module, node, "operator")
    left = _fold_field(scope, node, "left", depth)
    if sign in {"&&", "||"}:
        is_decided = left is None or bool(left) is (sign == "||")
        return left if is_decided else _fold_field(scope, node, "right", depth)
    right = _fold_field(scope, node, "right", depth)
    return _combine(sign, left, right) if left is not None and right is not None else None


def _combine(sign: str, left: Constant, right: Constant) -> Constant | None:
    if sign in _EQUALITIES:
        is_same = left == right if type(left) is type(right) else None
        return is_same if is_same is None or sign[0] == "=" else not is_same
    if isinstance(left, str) or isinstance(right, str):
        return _concatenate(left, right) if sign == "+" else None
    return _calculate(sign, left, right)


def _concatenate(left: Constant, right: Constant) -> str | None:
    return left + right if isinstance(left, str) and isinstance(right, str) else None


def _calculate(sign: str, left: float, right: float) -> Constant | None:
    if sign == "+":
        return left + right
    if sign in _ORDERS:
        return _ORDERS[sign](left, right)
    is_defined = sign in _NUMBERS and (right or sign in "-*")
    return _NUMBERS[sign](left, right) if is_defined else None


def _choice(scope: ModuleScope, node: Node, depth: int) -> Constant | None:
    constant = _fold_field(scope, node, "condition", depth)
    if constant is None:
        return None
    return _fold_field(scope, node, "consequence" if constant else "alternative", depth)


def _member(scope: ModuleScope, node: Node, depth: int) -> Constant | None:
    owner = node.child_by_field_name("object")
    if owner is None:
        return None
    if field_text(scope.module, node, "property") == "length":
        text = fold(scope, owner, depth)
        return len(text) if isinstance(text, str) else None
    found = scope.resolve(node)
    return fold(scope, found, depth) if found.id != node.id else None


def _subscript(scope: ModuleScope, node: Node, depth: int) -> Constant | None:
    text = _fold_field(scope, node, "object", depth)
    at = _fold_field(scope, node, "index", depth)
    return _character(text, at) if isinstance(text, str) else None


def _character(text: str, at: Constant | None) -> str | None:
    if not isinstance(at, int):
        return None
    return text[at] if 0 <= at < len(text) else None


def _call(scope: ModuleScope, node: Node, depth: int) -> Constant | None:
    """Return the result of a string method, or of joining a list of strings."""
    function, argument_list = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    owner = child(function, "object")
    if function is None or argument_list is None or owner is None or function.type != "member_expression":
        return None
    method = field_text(scope.module, function, "property")
    arguments = [fold(scope, argument, depth) for argument in argument_list.named_children]
    if method == "join":
        return _join_elements(scope, owner, arguments, depth)
    text = fold(scope, owner, depth)
    if not isinstance(text, str) or None in arguments:
        return None
    return _method_result(text, method, arguments)


def _join_elements(
    scope: ModuleScope, owner: Node, arguments: list[Constant | None], depth: int
) -> Constant | None:
    listed = scope.resolve(owner)
    between = arguments[0] if arguments else ","
    if listed.type != "array" or not isinstance(between, str):
        return None
    found = [fold(scope, element, depth) for element in listed.named_children]
    return between.join(map(str, found)) if None not in found else None


def _method_result(text: str, method: str, arguments: list[Constant | None]) -> Constant | None:
    if method == "concat":
        return text + "".join(map(str, arguments))
    if not arguments:
        return _CHANGES[method](text) if method in _CHANGES else None
    first = arguments[0]
    if method in {"charAt", "at"}:
        return _character(text, first)
    if isinstance(first, str) and method in _TESTS:
        return _TESTS[method](text, first)
    return None


_TESTS: Mapping[str, Callable[[str, str], Constant]] = {
    "startsWith": str.startswith,
    "endsWith": str.endswith,
    "includes": operator.contains,
    "indexOf": str.find,
}
_CHANGES: Mapping[str, Callable[[str], str]] = {
    "toLowerCase": str.lower,
    "toUpperCase": str.upper,
    "trim": str.strip,
    "toString": str,
}
_READERS: Mapping[str, Callable[[ModuleScope, Node, int], Constant | None]] = {
    "string": _fold_string,
    "template_string": _fold_string,
    "number": _number,
    "true": lambda scope, node, depth: True,
    "false": lambda scope, node, depth: False,
    "identifier": _name,
    "unary_expression": _unary,
    "binary_expression": _binary,
    "ternary_expression": _choice,
    "member_expression": _member,
    "subscript_expression": _subscript,
    "call_expression": _call,
}
