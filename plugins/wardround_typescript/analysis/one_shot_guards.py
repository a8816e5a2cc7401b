"""Functions of effects that a flag lets run once, or once at a time."""

from __future__ import annotations

from collections.abc import Iterator

from wardround.languages.script.code import Code, bare, encloses, function_around, own_nodes
from wardround.languages.script.syntax import Node, inside

_FALSY = frozenset({"false", "null", "undefined", "0", "''", '""'})
_LEAVES = frozenset({"return_statement", "throw_statement"})


def runs_once(code: Code, function: Node) -> bool:
    """Return True if a function begins its work only where a flag is not set, and sets that flag first.

    ``if (done.current) return; done.current = true`` or ``if (!done.current) { done.current = true; ...``.
    What sets the flag back outside of the function lets the work begin again, so that it does not count.
    """
    return any(
        _is_set_for(code, flag, statement, is_left) and not _is_reset_outside(code, flag, function)
        for statement in inside(function)
        if statement.type == "if_statement"
        for flag, is_left in _flags(code, statement)
    )


def _flags(code: Code, statement: Node) -> Iterator[tuple[str, bool]]:
    """Yield the (flag, True if the function is left where it is set) pairs of a condition."""
    condition = bare(statement.child_by_field_name("condition"))
    branch = statement.child_by_field_name("consequence")
    is_left = branch is not None and any(node.type in _LEAVES for node in (branch, *branch.named_children))
    for operand in _operands(code, condition, "||" if is_left else "&&"):
        negated = operand.type == "unary_expression" and code.field(operand, "operator") == "!"
        value = bare(operand.child_by_field_name("argument")) if negated else operand
        if value is not None and negated is not is_left and _is_flag(code, value):
            yield code.text(value), is_left


def _operands(code: Code, node: Node | None, operator: str) -> Iterator[Node]:
    value = bare(node)
    if value is None:
        return
    if value.type == "binary_expression" and code.field(value, "operator") == operator:
        for side in ("left", "right"):
            yield from _operands(code, value.child_by_field_name(side), operator)
    else:
        yield value


def _is_flag(code: Code, value: Node) -> bool:
    is_ref = value.type == "member_expression" and code.field(value, "property") == "current"
    return is_ref or value.type == "identifier"


def _is_set_for(code: Code, flag: str, statement: Node, is_left: bool) -> bool:
    """Return True if the flag is set behind the statement that leaves, or else within it, without a wait."""
    function = function_around(statement)
    for node in own_nodes(function) if function is not None else ():
        if node.type == "await_expression" and node.start_byte > statement.start_byte:
            return False
        is_behind = node.start_byte >= statement.end_byte if is_left else encloses(statement, node)
        if is_behind and _sets(code, node, flag) and code.field(node, "right") not in _FALSY:
            return True
    return False


def _is_reset_outside(code: Code, flag: str, function: Node) -> bool:
    return any(
        _sets(code, node, flag) and code.field(node, "right") in _FALSY and not encloses(function, node)
        for node in code.kinds("assignment_expression")
    )


def _sets(code: Code, node: Node, flag: str) -> bool:
    return node.type == "assignment_expression" and code.field(node, "left") == flag
