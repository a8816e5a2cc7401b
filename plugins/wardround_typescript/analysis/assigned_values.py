"""Values that a variable of a script may have at a place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from wardround.languages.script.code import Code, encloses, function_around
from wardround.languages.script.syntax import Node
from wardround_typescript.analysis.call_frames import PARAMETERS
from wardround_typescript.syntax.nodes import child, has_kind, is_kind, parent

_ASSIGNMENTS = ("assignment_expression", "augmented_assignment_expression")


class AssignedValues(NamedTuple):
    """The assignments that a use of a variable may see.

    Attributes:
        settled: the value of the last unconditional assignment before the use.
        others: the values that later or conditional ones add.
    """

    settled: Node | None
    others: list[Node]


def assigned_values(code: Code, declaration: Node, use: Node) -> AssignedValues:
    """Return the values that are assigned, or may be assigned, to a variable before a use of it."""
    settled: Node | None = None
    others: list[Node] = []
    for assignment, value in _assignments(code, declaration, code.text(use)):
        is_before = assignment.end_byte <= use.start_byte
        if is_before and _is_unconditional(assignment, declaration):
            settled, others = value, []
        elif not encloses(assignment, use):
            others.append(value)
    return AssignedValues(settled, others)


def _assignments(code: Code, declaration: Node, name: str) -> Iterator[tuple[Node, Node]]:
    """Yield the (assignment, value) pairs of a variable in source order."""
    for use in sorted(code.uses(declaration, name), key=lambda node: node.start_byte):
        assignment = use.parent
        if not has_kind(assignment, _ASSIGNMENTS) or child(assignment, "left") != use:
            continue
        value = child(assignment, "right")
        if value is not None:
            yield assignment, value


def _is_unconditional(assignment: Node, declaration: Node) -> bool:
    """Return True for a plain assignment in the block in which the name is declared."""
    statement = assignment.parent
    if assignment.type != "assignment_expression" or not is_kind(statement, "expression_statement"):
        return False
    block = statement.parent
    return block is not None and block == _block_of(declaration)


def _block_of(declaration: Node) -> Node | None:
    if declaration.type in PARAMETERS:
        return child(function_around(declaration), "body")
    return parent(declaration.parent)
