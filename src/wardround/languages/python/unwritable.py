"""Text for trees that ``ast.unparse`` cannot write: its names, calls and operators, if not every literal."""

from __future__ import annotations

import ast
import copy
import re

_UNQUOTABLE = re.compile(r"""[^ -~]|[\\'"]""")
"""Characters that a string in an f-string of Python 3.11 may not have, in any quotes."""


def approximate_source(node: ast.AST) -> str:
    """Return the source of a tree without literals that have no spelling, or else its names and literals."""
    try:
        return ast.unparse(_Spellable().visit(copy.deepcopy(node)))
    except (ValueError, RecursionError):
        return " ".join(filter(None, map(_source_of_node, ast.walk(node))))


class _Spellable(ast.NodeTransformer):
    """Replaces literals that the running interpreter cannot spell."""

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        node.value = _InFString().visit(node.value)
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return _spellable_number(node)


class _InFString(ast.NodeTransformer):
    """Replaces strings in an expression of an f-string: a nested one by its expressions."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        values = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
        return self.generic_visit(ast.Tuple(values, ast.Load()))

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, str):
            return ast.Constant(_UNQUOTABLE.sub("", node.value))
        if isinstance(node.value, bytes):
            return ast.Constant(_UNQUOTABLE.sub("", node.value.decode("latin-1")).encode())
        return node


def _spellable_number(node: ast.Constant) -> ast.AST:
    """Return a constant; a name for a number with more digits than Python writes."""
    try:
        repr(node.value)
    except ValueError:
        return ast.Name(hex(node.value), ast.Load()) if isinstance(node.value, int) else ast.Name("number")
    return node


def _source_of_node(node: ast.AST) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Constant():
            return ast.unparse(_spellable_number(node))
    return ""
