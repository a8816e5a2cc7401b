"""Types as a checker prints them, turned into annotations as people write them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wardround.languages.python.tree import unparse

_VAGUE = frozenset({"Any", "Unknown", "NoReturn", "Never", "object", "Unbound"})
"""Names that state nothing, or not the result of a call."""
_GENERIC = frozenset({"list", "dict", "set", "frozenset", "tuple", "type", "deque", "defaultdict"})
"""Classes of the standard library that are partially unknown without parameters."""
_WIDER = (("int", "float"), ("bool", "int"))
"""Pairs of a type and the one that includes it for type checkers."""
_GENERATORS = {"Generator": "Iterator", "AsyncGenerator": "AsyncIterator"}
_MOST_MEMBERS = 3


def annotation_text(printed: str, *, is_coroutine: bool = False) -> str | None:
    """Return the annotation for a printed type; None if it is vague, or cannot be written as source."""
    try:
        tree = ast.parse(printed.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if is_coroutine:
        tree = _coroutine_result(tree) or ast.Name("Unknown")
    widened = _Widening().visit(_iterator_type(tree))
    if not _is_complete(widened):
        return None
    return union([unparse(member) for member in members(widened)])


def union(texts: Sequence[str]) -> str | None:
    """Return the union of types, ``None`` last; None if it has too many members to be helpful."""
    distinct = list(dict.fromkeys(texts))
    for narrow, wide in _WIDER:
        if narrow in distinct and wide in distinct:
            distinct.remove(narrow)
    distinct.sort(key=lambda text: text == "None")
    return " | ".join(distinct) if 0 < len(distinct) <= _MOST_MEMBERS else None


def members(tree: ast.expr) -> Iterator[ast.expr]:
    """Yield the members of a union."""
    match tree:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            yield from members(left)
            yield from members(right)
        case _:
            yield tree


def names_in(text: str) -> set[str]:
    """Return the names that an annotation needs; of a dotted one the first part."""
    return {node.id for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)}


def _coroutine_result(tree: ast.expr) -> ast.expr | None:
    """Return the result of a coroutine, the last parameter of its type."""
    match tree:
        case ast.Subscript(
            value=ast.Name(id="CoroutineType" | "Coroutine"), slice=ast.Tuple(elts=[*_, result])
        ):
            return result
    return None


def _iterator_type(tree: ast.expr) -> ast.expr:
    """Return the type of an iterator for a generator to which nothing is sent."""
    match tree:
        case ast.Subscript(
            value=ast.Name(id="Generator"), slice=ast.Tuple(elts=[item, _, ast.Constant(value=None)])
        ):
            return ast.Subscript(ast.Name(_GENERATORS["Generator"]), item)
        case ast.Subscript(value=ast.Name(id="AsyncGenerator"), slice=ast.Tuple(elts=[item, _])):
            return ast.Subscript(ast.Name(_GENERATORS["AsyncGenerator"]), item)
    return tree


class _Widening(ast.NodeTransformer):
    """Replace literal types by the types of their values."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if isinstance(node.value, ast.Name) and node.value.id == "Literal":
            values = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            widened = list(dict.fromkeys(map(_type_of_literal, values)))
            return ast.parse(" | ".join(widened), mode="eval").body
        return self.generic_visit(node)


def _type_of_literal(value: ast.expr) -> str:
    match value:
        case ast.Constant(value=None):
            return "None"
        case ast.Constant(value=constant):
            return type(constant).__name__
        case ast.UnaryOp(operand=ast.Constant(value=int())):
            return "int"
        case ast.Attribute(value=ast.Name(id=enumeration)):
            return enumeration
    return "Unknown"


def _is_complete(tree: ast.expr) -> bool:
    """Return True if a type has no unknown part."""
    match tree:
        case ast.Constant(value=value):
            return value is None
        case ast.Name(id=name):
            return name not in _VAGUE | _GENERIC
        case ast.Attribute(value=value):
            return _is_complete(value)
        case ast.BinOp(op=ast.BitOr()):
            return all(map(_is_complete, members(tree)))
        case ast.Subscript(value=ast.Name(id=name), slice=item):
            return name not in _VAGUE and all(map(_is_complete_argument, _arguments(name, item)))
    return False


def _is_complete_argument(tree: ast.expr) -> bool:
    """Return True if a parameter of a generic has no unknown part; None alone is part of an unknown type."""
    return _is_complete(tree) and not isinstance(tree, ast.Constant)


def _arguments(generic: str, item: ast.expr) -> Sequence[ast.expr]:
    """Return the parameters of a generic type, without the ellipsis of a tuple."""
    match item:
        case ast.Tuple(elts=[element, ast.Constant(value=value)]) if generic == "tuple" and value is ...:
            return [element]
        case ast.Tuple(elts=elements) if elements:
            return elements
    return [item]
