"""PY040: conditional expression precedence."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.languages.python.tree import unparse, walk
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck


class ConditionalExpressionPrecedence(PythonCheck):
    """A conditional expression after a sum applies to the complete sum, not to its last term.

    ``total + extra if express else 0`` is ``(total + extra) if express else 0``: without the extra the
    total is lost too. Parenthesize the term that depends on the condition.

    A number added to a counter that restarts, ``run = run + 1 if same else 0``, is not reported.
    """

    ID = "PY040"
    NAME = "conditional-expression-precedence"
    MATURITY = Maturity.PREVIEW
    WORDS = (
        *(" else 0", " else Decimal(", " else decimal.", " else Money(", " else Fraction("),
        *(" else fractions.", " else timedelta(", " else datetime."),
    )
    DEFECT_CLASS = "operator-precedence"
    VALID = [
        code("""
            def f(total, extra, x):
                return total + (extra if x else 0)
        """),
        code("""
            def f(total, extra):
                return total + extra if total else 0
        """),
    ]
    INVALID = [
        code("""
            def f(total, x):
                return «total + EXTRA if x.express else 0»
        """),
        code("""
            def f(cart):
                price = cart.net
                price = «price + cart.fee if cart.island else Decimal(0)»
        """),
    ]

    def visit_IfExp(self, node: ast.IfExp) -> None:
        body = node.body
        if not isinstance(body, ast.BinOp) or not isinstance(body.op, ast.Add) or not _is_zero(node.orelse):
            return
        first = _leftmost(body)
        if not isinstance(first, (ast.Name, ast.Attribute)) or _counts(body) or _is_tested(first, node.test):
            return
        if not self._is_parenthesized(body):
            result = f"{unparse(node.orelse)}, not {unparse(first)}"
            self.report(self.module.span(node), f"without the condition this is {result}; use parentheses")

    def _is_parenthesized(self, body: ast.BinOp) -> bool:
        """Return True if the sum has parentheses of its own, so that it is intended."""
        line = self.source.lines[body.lineno - 1]
        return (
            line[: body.col_offset].rstrip().endswith("(")
            and body.lineno == body.end_lineno
            and (line[body.end_col_offset or 0 :].lstrip().startswith(")"))
        )


def _counts(value: ast.expr) -> bool:
    """Return True if only literal numbers are added to, or subtracted from, the first term of a sum."""
    while isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Sub)):
        if not isinstance(value.right, ast.Constant):
            return False
        value = value.left
    return True


def _leftmost(value: ast.expr) -> ast.expr:
    while isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Sub)):
        value = value.left
    return value


def _is_zero(value: ast.expr) -> bool:
    if isinstance(value, ast.Call) and len(value.args) == 1 and not value.keywords:
        called = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
        return called in ("Decimal", "Money", "Fraction", "timedelta") and _is_zero(value.args[0])
    return (
        isinstance(value, ast.Constant)
        and value.value is not False
        and str(value.value) in ("0", "0.0", "0.00")
    )


def _is_tested(value: ast.expr, test: ast.expr) -> bool:
    """Return True if a test uses the name at the root of a value."""
    while isinstance(value, ast.Attribute):
        value = value.value
    tested = {n.id for n in walk(test) if isinstance(n, ast.Name)}
    return isinstance(value, ast.Name) and value.id in tested
