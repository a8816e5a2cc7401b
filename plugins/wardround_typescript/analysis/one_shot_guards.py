"""Functions of effects that a flag lets run once, or once at a time."""

from __future__ import annotations

from collections.abc import Iterator

from wardround.languages.script.code import Code, bare, encloses, function_around, own_nodes
from wardround.languages.script.syntax import Node, inside
from wardround_typescript.syntax.nodes import child, parts

_FALSY = frozenset({"false", "null", "undefined", "0", "''", '""'})
_LEAVES = frozenset({"return_statement", "throw_statement"})


def runs_once(code: Code, function: Node) -> bool:
    """Return True if a function begins its work only where a flag is not set, and sets that flag first.

    ``if (done.current) return; done.current = true`` or ``if (!done.current) { done.current = true; ...``.
    A reset of the flag outside of the function intentionally restarts the work, so it does not count.
    """
    statements = (node for node in inside(function) if node.type == "if_statement")
    return any(_is_guard(code, statement, function) for statement in statements)


def _is_guard(code: Code, statement: Node, function: Node) -> bool:
    """Return True for a condition on a flag that only this function sets."""
    for flag, is_left in _flags(code, statement):
        if _is_set_for(code, flag, statement, is_left) and not _is_reset_outside(code, flag, function):
            return True
    return False


def _flags(code: Code, statement: Node) -> Iterator[tuple[str, bool]]:
    """Yield the (flag, True if the function is left where it is set) pairs of a condition."""
    branch = child(statement, "consequence")
    is_left = branch is not None and any(node.type in _LEAVES for node in (branch, *parts(branch)))
    for operand in _operands(code, child(statement, "condition"), "||" if is_left else "&&"):
        negated = operand.type == "unary_expression" and code.field(operand, "operator") == "!"
        value = bare(child(operand, "argument")) if negated else operand
        if value is not None and negated is not is_left and _is_flag(code, value):
            yield code.text(value), is_left


def _operands(code: Code, node: Node | None, operator: str) -> Iterator[Node]:
    """Yield the operands of a condition that an operator joins."""
    value = bare(node)
    if value is None:
        return
    if value.type == "binary_expression" and code.field(value, "operator") == operator:
        yield from _operands(code, child(value, "left"), operator)
        yield from _operands(code, child(value, "right"), operator)
    else:
        yield value


def _is_flag(code: Code, value: Node) -> bool:
    if value.type == "member_expression":
        return code.field(value, "property") == "current"
    return value.type == "identifier"


def _is_set_for(code: Code, flag: str, statement: Node, is_left: bool) -> bool:
    """Return True if the flag is set after the early return, or else inside its block, without an await
    between.
    """
    function = function_around(statement)
    for node in own_nodes(function) if function is not None else ():
        if node.type == "await_expression" and node.start_byte > statement.start_byte:
            return False
        is_behind = node.start_byte >= statement.end_byte if is_left else encloses(statement, node)
        if is_behind and _assigns_flag(code, node, flag) and code.field(node, "right") not in _FALSY:
            return True
    return False


def _is_reset_outside(code: Code, flag: str, function: Node) -> bool:
    resets = (node for node in code.kinds("assignment_expression") if _assigns_flag(code, node, flag))
    falsy = (node for node in resets if code.field(node, "right") in _FALSY)
    return any(not encloses(function, node) for node in falsy)


def _assigns_flag(code: Code, node: Node, flag: str) -> bool:
    return node.type == "assignment_expression" and code.field(node, "left") == flag
