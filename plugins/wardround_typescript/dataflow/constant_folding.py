"""Constant folding: the values of expressions of literals and constants."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping

from tree_sitter import Node

from wardround_typescript.dataflow.nodes import bare
from wardround_typescript.dataflow.scope import ModuleScope

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


def fold(scope: ModuleScope, node: Node, depth: int = 0) -> Constant | None:
    """The value of an expression of literals and constants; None for any other expression."""
    node = bare(node)
    reader = _READERS.get(node.type)
    if reader is None or depth > _DEEPEST or node.end_byte - node.start_byte > _LONGEST:
        return None
    return reader(scope, node, depth + 1)


def _text(scope: ModuleScope, node: Node, depth: int) -> Constant | None:
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
    block = value.parent
    while block is not None and block.type not in {"statement_block", "program", "for_statement"}:
        block = block.parent
    return block is not None and block.start_byte <= at.start_byte < block.end_byte


def _unary(scope: ModuleScope, node: Node, depth: int) -> Constant | None:
    inner = node.child_by_field_name("argument")
    value = fold(scope, inner, depth) if inner is not None else None
    sign = scope.module.of(node)[:1]
    if value is None:
        return None
    if sign == "!":
        return not value
    return -value if sign == "-" and not isinstance(value, str) else None


def _binary(scope: ModuleScope, node: Node, depth: int) -> Constant | None:
    operands = (node.child_by_field_name("left"), node.child_by_field_name("right"))
    sign = node.child_by_field_name("operator")
    if operands[0] is None or operands[1] is None or sign is None:
        return None
    left, name = fold(scope, operands[0], depth), scope.module.of(sign)
    if name in {"&&", "||"}:
        if left is None or bool(left) is (name == "||"):
            return left
        return fold(scope, operands[1], depth)
    right = fold(scope, operands[1], depth)
    return _combined(name, left, right) if left is not None and right is not None else None


def _combined(sign: str, left: Constant, right: Constant) -> Constant | None:
    if sign in {"===", "!==", "==", "!="}:
        return (left == right) is (sign[0] == "=") if type(left) is type(right) else None
    if isinstance(left, str) and isinstance(right, str):
        return left + right if sign == "+" else None
    if isinstance(left, str) or isinstance(right, str):
        return None
    if sign == "+":
        return left + right
    if sign in _NUMBERS:
        return _NUMBERS[sign](left, right) if right or sign in "-*" else None
    return _ORDERS[sign](left, right) if sign in _ORDERS else None


def _choice(scope: ModuleScope, node: Node, depth: int) -> Constant | None:
    test = node.child_by_field_name("condition")
    constant = fold(scope, test, depth) if test is not None else None
    branch = node.child_by_field_name("consequence" if constant else "alternative")
    return fold(scope, branch, depth) if constant is not None and branch is not None else None


def _member(scope: ModuleScope, node: Node, depth: int) -> Constant | None:
    owner, name = node.child_by_field_name("object"), node.child_by_field_name("property")
    if owner is None or name is None:
        return None
    if scope.module.of(name) == "length":
        text = fold(scope, owner, depth)
        return len(text) if isinstance(text, str) else None
    found = scope.resolved(node)
    return fold(scope, found, depth) if found.id != node.id else None


def _subscript(scope: ModuleScope, node: Node, depth: int) -> Constant | None:
    owner, index = node.child_by_field_name("object"), node.child_by_field_name("index")
    if owner is None or index is None:
        return None
    text, at = fold(scope, owner, depth), fold(scope, index, depth)
    if isinstance(text, str) and isinstance(at, int) and 0 <= at < len(text):
        return text[at]
    return None


def _call(scope: ModuleScope, node: Node, depth: int) -> Constant | None:
    """The result of a method of text, or of joining a list of texts."""
    function, argument_list = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or argument_list is None or function.type != "member_expression":
        return None
    owner, name = function.child_by_field_name("object"), function.child_by_field_name("property")
    if owner is None or name is None:
        return None
    arguments = [fold(scope, one, depth) for one in argument_list.named_children]
    method = scope.module.of(name)
    if method == "join":
        return _joined(scope, owner, arguments, depth)
    text = fold(scope, owner, depth)
    return (
        _method_result(text, method, arguments) if isinstance(text, str) and None not in arguments else None
    )


def _joined(scope: ModuleScope, owner: Node, arguments: list[Constant | None], depth: int) -> Constant | None:
    listed = scope.resolved(owner)
    between = arguments[0] if arguments else ","
    if listed.type != "array" or not isinstance(between, str):
        return None
    found = [fold(scope, one, depth) for one in listed.named_children]
    return between.join(str(one) for one in found) if None not in found else None


def _method_result(text: str, method: str, arguments: list[Constant | None]) -> Constant | None:
    first = arguments[0] if arguments else None
    if method in {"charAt", "at"} and isinstance(first, int) and 0 <= first < len(text):
        return text[first]
    if method == "concat":
        return text + "".join(str(one) for one in arguments)
    if isinstance(first, str) and method in _TESTS:
        return _TESTS[method](text, first)
    if method in _CHANGES and not arguments:
        return _CHANGES[method](text)
    return None


_TESTS: Mapping[str, Callable[[str, str], Constant]] = {
    "startsWith": lambda text, one: text.startswith(one),
    "endsWith": lambda text, one: text.endswith(one),
    "includes": lambda text, one: one in text,
    "indexOf": lambda text, one: text.find(one),
}
_CHANGES: Mapping[str, Callable[[str], str]] = {
    "toLowerCase": str.lower,
    "toUpperCase": str.upper,
    "trim": str.strip,
    "toString": str,
}
_READERS: Mapping[str, Callable[[ModuleScope, Node, int], Constant | None]] = {
    "string": _text,
    "template_string": _text,
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
