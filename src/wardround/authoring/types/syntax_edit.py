"""Edits of signatures in a concrete syntax tree; the only module that needs libcst."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from wardround.authoring.types.model import RETURN

Parts = Mapping[str, str]
"""Name of a parameter, or ``RETURN`` -> its annotation."""


class SyntaxEditor(cst.CSTTransformer):
    """Adds annotations to the functions and methods with some qualified names."""

    def __init__(self, wanted: Mapping[str, Parts]) -> None:
        super().__init__()
        self._wanted = wanted
        self._scopes: list[str] = []
        self._in_function = 0

    @classmethod
    def edit(cls, content: bytes, wanted: Mapping[str, Parts]) -> bytes | None:
        """Return a module with annotations; None if its syntax is not known."""
        try:
            tree = cst.parse_module(content)
        except (cst.ParserSyntaxError, UnicodeDecodeError, RecursionError):
            return None
        return tree.visit(cls(wanted)).bytes

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        self._scopes.append(node.name.value)
        return True

    def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> cst.ClassDef:
        self._scopes.pop()
        return updated_node

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False  # functions inside of others are not public

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        name = ".".join((*self._scopes, updated_node.name.value))
        parts = self._wanted.get(name)
        return updated_node if parts is None else _annotate(updated_node, parts)


def _annotate(function: cst.FunctionDef, parts: Parts) -> cst.FunctionDef:
    parameters = function.params.visit(_ParameterEditor(parts))
    assert isinstance(parameters, cst.Parameters)
    returns = function.returns
    if returns is None and RETURN in parts:
        returns = cst.Annotation(cst.parse_expression(parts[RETURN]))
    return function.with_changes(params=parameters, returns=returns)


class _ParameterEditor(cst.CSTTransformer):
    def __init__(self, parts: Parts) -> None:
        super().__init__()
        self._parts = parts

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        return False

    def leave_Param(self, original_node: cst.Param, updated_node: cst.Param) -> cst.Param:
        text = self._parts.get(updated_node.name.value)
        if text is None or updated_node.annotation is not None or updated_node.star in ("*", "**"):
            return updated_node
        changed = updated_node.with_changes(annotation=cst.Annotation(cst.parse_expression(text)))
        return changed if updated_node.default is None else changed.with_changes(equal=cst.AssignEqual())
