"""Names that assignments bind, and the values that they bind to them."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from wardround.languages.python.tree import unparse


def is_named(node: ast.AST | None, name: str) -> bool:
    """Return True if a node is a plain name."""
    return isinstance(node, ast.Name) and node.id == name


def binds_name(statement: ast.Assign, name: str) -> bool:
    """Return True if a name is itself a target of an assignment, not a part of a target."""
    return any(is_named(target, name) for target in statement.targets)


def assigned_values_of(nodes: Iterable[ast.AST], name: str) -> list[ast.expr]:
    """Return the values that assignments without a type bind to a name."""
    assignments = (node for node in nodes if isinstance(node, ast.Assign))
    return [assignment.value for assignment in assignments if binds_name(assignment, name)]


def constant_entries(display: ast.Dict) -> list[tuple[str, ast.expr]]:
    """Return the entries of a dict display that have a constant key; the key as text."""
    pairs = zip(display.keys, display.values, strict=True)
    return [(str(key.value), value) for key, value in pairs if isinstance(key, ast.Constant)]


def values_of_target(nodes: Iterable[ast.AST], target: str) -> list[ast.expr]:
    """Return the values that assignments without a type bind to a name or attribute, given as source text."""
    assignments = (node for node in nodes if isinstance(node, ast.Assign))
    return [item.value for item in assignments if target in map(unparse, item.targets)]


def values_of_last_name(nodes: Iterable[ast.AST], name: str) -> list[ast.expr]:
    """Return the values that assignments without a type bind to a name, or to an attribute of this name."""
    assignments = (node for node in nodes if isinstance(node, ast.Assign))
    return [
        assignment.value
        for assignment in assignments
        if any(unparse(target).rpartition(".")[2] == name for target in assignment.targets)
    ]
