"""Assertions that hold whatever the code under test does, and why."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from wardround.languages.python.tree import unparse, walk
from wardround_tests.models.syntax import last_name

_COMPARING = frozenset(
    {
        "assertEqual",
        "assertEquals",
        "assertIs",
        "assertListEqual",
        "assertDictEqual",
        "assertAlmostEqual",
        "assertGreaterEqual",
        "assertLessEqual",
    }
)


Intended = Callable[[ast.expr], bool]
"""Predicate: the test compares an expression with itself on purpose."""


def _is_any(node: ast.expr) -> bool:
    return last_name(node) == "ANY" and isinstance(node, (ast.Name, ast.Attribute))


def _is_or_its_opposite(test: ast.BoolOp) -> bool:
    """Return True if one alternative holds whenever another does not."""
    for expression in test.values:
        for other in test.values:
            if (
                isinstance(other, ast.UnaryOp)
                and isinstance(other.op, ast.Not)
                and ast.dump(other.operand) == ast.dump(expression)
            ):
                return True
            if expression is not other and _excludes_other(expression, other):
                return True
    return False


def _excludes_other(item: ast.expr, other: ast.expr) -> bool:
    """Return True if two comparisons cannot both be false: ``x == []`` and ``x is not None``."""
    if not isinstance(item, ast.Compare) or not isinstance(other, ast.Compare):
        return False
    if len(item.ops) != 1 or len(other.ops) != 1 or not _compare_opposite(item, other):
        return False
    expected, excluded = item.comparators[0], other.comparators[0]
    is_none = isinstance(excluded, ast.Constant) and excluded.value is None
    is_empty = isinstance(expected, (ast.List, ast.Dict, ast.Tuple, ast.Set, ast.Constant))
    return ast.dump(expected) == ast.dump(excluded) or (is_none and is_empty)


def _compare_opposite(comparison: ast.Compare, other: ast.Compare) -> bool:
    """Return True if one comparison is an equality and the other an inequality of the same value."""
    if ast.dump(comparison.left) != ast.dump(other.left) or isinstance(comparison.left, ast.Call):
        return False
    return isinstance(comparison.ops[0], (ast.Eq, ast.Is)) and isinstance(
        other.ops[0], (ast.NotEq, ast.IsNot)
    )


def explain_true_condition(test: ast.expr, is_intended: Intended) -> str | None:
    """Explain why an asserted expression is always true; None if it can be false."""
    if isinstance(test, ast.Compare):
        is_single = len(test.ops) == 1
        compared = (test.left, test.ops[0], test.comparators[0])
        return explain_true_comparison(*compared, is_intended) if is_single else None
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        return _why_alternatives(test)
    if isinstance(test, ast.Call):
        return _why_isinstance(test)
    return _why_literal(test)


def _why_literal(test: ast.expr) -> str | None:
    match test:
        case ast.Constant(value=str()):
            return None
        case ast.Constant(value=value) if value:
            return f"{value!r} is always true"
        case ast.List(elts=[_, *_]) | ast.Set(elts=[_, *_]) | ast.Dict(keys=[_, *_]):
            return "a non-empty literal is true"
        case ast.Lambda():
            return "a lambda is always true"
    return None


def _why_alternatives(test: ast.BoolOp) -> str | None:
    always = next(
        (
            expression
            for expression in test.values
            if isinstance(expression, ast.Constant) and expression.value
        ),
        None,
    )
    if always is not None:
        return f"{unparse(always)} is always true"
    return "one of the alternatives always holds" if _is_or_its_opposite(test) else None


def _why_isinstance(call: ast.Call) -> str | None:
    if last_name(call.func) != "isinstance" or len(call.args) != 2:
        return None
    kinds = call.args[1].elts if isinstance(call.args[1], ast.Tuple) else [call.args[1]]
    return "every value is an object" if any(last_name(k) == "object" for k in kinds) else None


def explain_true_comparison(
    left: ast.expr, how: ast.cmpop, right: ast.expr, is_intended: Intended
) -> str | None:
    if reason := _why_not_negative(left, how, right):
        return reason
    match how:
        case ast.Eq() if _equals_any(left, right):
            return "ANY equals everything"
        case ast.In() if _is_element(left, right, is_intended):
            return "the value is in the collection by construction"
        case ast.Eq() | ast.Is() | ast.LtE() | ast.GtE() if _are_same(left, right, is_intended):
            return "both operands are the same expression"
    return None


def _equals_any(left: ast.expr, right: ast.expr) -> bool:
    return not isinstance(left, ast.Subscript) and (_is_any(left) or _is_any(right))


def _why_not_negative(left: ast.expr, how: ast.cmpop, right: ast.expr) -> str | None:
    name = last_name(left.func) if isinstance(left, ast.Call) else ""
    if name not in ("len", "abs"):
        return None
    match how, right:
        case ast.GtE(), ast.Constant(value=0):
            return "a length is never negative" if name == "len" else "abs() is never negative"
        case ((ast.Gt() | ast.NotEq()), _) if _is_minus_one(right):
            return "a length is never negative"
    return None


def _is_element(value: ast.expr, collection: ast.expr, is_intended: Intended) -> bool:
    """Return True if a literal collection contains the same expression."""
    if not isinstance(collection, (ast.List, ast.Tuple, ast.Set)) or is_intended(value):
        return False
    return any(_are_same(value, expression, is_intended) for expression in collection.elts)


def _is_minus_one(node: ast.expr) -> bool:
    return isinstance(node, ast.UnaryOp) and unparse(node) == "-1"


def _are_same(left: ast.expr, right: ast.expr, is_intended: Intended) -> bool:
    """Return True if two expressions are the same and contain no call that may differ."""
    if ast.dump(left) != ast.dump(right) or (is_intended(left) and not isinstance(left, ast.Constant)):
        return False
    return not any(isinstance(node, (ast.Call, ast.Await, ast.Yield)) for node in walk(left))


def why_method_passes(call: ast.Call, name: str, is_intended: Intended) -> str | None:
    """Explain why an assertion method of unittest always passes; None if it can fail."""
    match call.args:
        case []:
            return None
        case arguments if name == "assertTrue":
            return _why_assert_true_passes(arguments, is_intended)
        case [value, *_] if name == "assertIsNotNone" and _is_never_none(value):
            return f"{unparse(value)[:40]} is never None"
        case [left, right, *_]:
            return _why_comparison_passes(left, right, name, is_intended)
    return None


def _why_comparison_passes(left: ast.expr, right: ast.expr, name: str, is_intended: Intended) -> str | None:
    """Explain why an assertion method always passes for its first two arguments."""
    operator = _OPERATORS.get(name)
    reason = explain_true_comparison(left, operator, right, is_intended) if operator is not None else None
    if reason is not None:
        return reason
    if name == "assertIsInstance" and last_name(right) == "object":
        return "every value is an object"
    if name in _COMPARING and _are_same(left, right, is_intended):
        return "both operands are the same expression"
    return None


_OPERATORS: dict[str, ast.cmpop] = {
    "assertGreaterEqual": ast.GtE(),
    "assertGreater": ast.Gt(),
    "assertEqual": ast.Eq(),
    "assertIn": ast.In(),
}


def _why_assert_true_passes(arguments: Sequence[ast.expr], is_intended: Intended) -> str | None:
    asserted = arguments[0]
    is_constant = isinstance(asserted, ast.Constant)
    if not is_constant and (reason := explain_true_condition(asserted, is_intended)) is not None:
        return reason
    if len(arguments) == 2 and _is_no_message(arguments[1]):
        return "the second argument of assertTrue is a message; assertEqual compares"
    return (
        f"{asserted.value!r} is always true"
        if isinstance(asserted, ast.Constant) and asserted.value
        else None
    )


def _is_never_none(node: ast.expr) -> bool:
    """Return True if an expression is a builtin value that cannot be None."""
    if isinstance(node, (ast.List, ast.Dict, ast.Set, ast.Tuple, ast.JoinedStr, ast.Compare)):
        return True
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _NEVER_NONE


_NEVER_NONE = frozenset(
    {"len", "str", "repr", "list", "dict", "set", "tuple", "sorted", "bool", "int", "type"}
)


def _is_no_message(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return not isinstance(node.value, str)
    return isinstance(node, (ast.List, ast.Dict, ast.Tuple, ast.Set))
