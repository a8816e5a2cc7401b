"""The types of literals, displays and annotations."""

from __future__ import annotations

import ast

from wardround.languages.python.literals import is_none
from wardround.languages.python.module import last_name
from wardround_python.analysis.value_types import (
    ANNOTATIONS,
    BYTES,
    NUMBER,
    TEXT,
)

_DISPLAYS: tuple[tuple[type[ast.expr] | tuple[type[ast.expr], ...], str], ...] = (
    (ast.JoinedStr, TEXT),
    ((ast.List, ast.ListComp), "a list"),
    (ast.Tuple, "a tuple"),
    ((ast.Set, ast.SetComp), "a set"),
    ((ast.Dict, ast.DictComp), "a mapping"),
    (ast.GeneratorExp, "an iterator"),
)


def kind_of_display(node: ast.expr) -> str:
    """Return the type of a list, a mapping or an f-string; empty for another expression."""
    return next((name for kinds, name in _DISPLAYS if isinstance(node, kinds)), "")


def kind_of_constant(value: object) -> str:
    """Return the type of a constant; empty for None and truth values."""
    match value:
        case bool():
            return ""
        case str():
            return TEXT
        case bytes():
            return BYTES
        case int() | float():
            return NUMBER
    return ""


def annotated_kind(annotation: ast.expr | None) -> str:
    """Return the type an annotation names, apart from None."""
    if isinstance(annotation, ast.BinOp) and is_none(annotation.right):
        annotation = annotation.left
    annotation = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    return ANNOTATIONS.get(last_name(annotation), "")
