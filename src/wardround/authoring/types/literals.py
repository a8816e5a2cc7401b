"""The types of expressions that state their type themselves."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from wardround.authoring.types.type_text import union

_DISPLAYS = {ast.List: "list", ast.Set: "set"}


def type_of(expression: ast.expr) -> str | None:
    """Return the type of a literal, of a display of literals or of a comparison; None for anything else."""
    match expression:
        case ast.Constant(value=None):
            return "None"
        case ast.Constant(value=bool() | int() | float() | str() | bytes() | complex() as value):
            return type(value).__name__
        case ast.JoinedStr():
            return "str"
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return type(value).__name__
        case ast.UnaryOp(op=ast.Not()):
            return "bool"
        case ast.List(elts=elements) | ast.Set(elts=elements):
            return _collection(_DISPLAYS[type(expression)], [elements])
        case ast.Dict(keys=keys, values=values):
            return _collection("dict", [[key for key in keys if key is not None], values])
    return None


def source_type(source: str) -> str | None:
    """Return the type of an expression as source text."""
    return type_of(ast.parse(source, mode="eval").body)


def _collection(name: str, parts: Sequence[Sequence[ast.expr]]) -> str | None:
    """Return the type of a display whose parts, such as keys and values, have one type each."""
    items = [_common_type(part) for part in parts]
    known = [item for item in items if item is not None]
    return f"{name}[{', '.join(known)}]" if len(known) == len(items) else None


def _common_type(elements: Sequence[ast.expr]) -> str | None:
    types = [type_of(element) for element in elements]
    known = [kind for kind in types if kind is not None]
    joined = union(known) if known and len(known) == len(types) else None
    return joined if joined is not None and "|" not in joined else None
