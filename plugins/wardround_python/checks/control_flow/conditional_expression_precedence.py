"""PY040."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.languages.python.tree import walk
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck


class ConditionalExpressionPrecedence(PythonCheck):
    """An ``if ... else`` behind a sum takes the whole sum, not its last part.

    ``total + extra if express else 0`` is ``(total + extra) if express else 0``: without the extra the
    total is lost too. Put the part that depends on the condition in parentheses.

    A number added to a count that starts again, ``run = run + 1 if same else 0``, is meant as written.
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
        kept = _leftmost(body)
        if not isinstance(kept, (ast.Name, ast.Attribute)) or _counts(body):
            return
        asked = {n.id for n in walk(node.test) if isinstance(n, ast.Name)}
        root: ast.expr = kept
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(kept, ast.Attribute) and isinstance(root, ast.Name) and root.id in asked:
            return
        if isinstance(kept, ast.Name) and kept.id in asked:
            return
        if self._is_in_parentheses(body):
            return
        self.report(
            self.module.span(node),
            f"without the condition this is {ast.unparse(node.orelse)}, not {ast.unparse(kept)}",
        )

    def _is_in_parentheses(self, body: ast.BinOp) -> bool:
        """Whether the sum is in parentheses of its own, which says that it is meant so."""
        line = self.source.lines[body.lineno - 1]
        return (
            line[: body.col_offset].rstrip().endswith("(")
            and body.lineno == body.end_lineno
            and (line[body.end_col_offset or 0 :].lstrip().startswith(")"))
        )


def _counts(value: ast.expr) -> bool:
    """Return True if only literal numbers are added to, or taken from, the first part of a sum."""
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
        made = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
        return made in ("Decimal", "Money", "Fraction", "timedelta") and _is_zero(value.args[0])
    return (
        isinstance(value, ast.Constant)
        and value.value is not False
        and str(value.value) in ("0", "0.0", "0.00")
    )
