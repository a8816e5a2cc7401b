"""PY086: decimal from float value."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse, walk
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_ROUNDS = frozenset({"quantize", "normalize", "to_integral_value"})


class DecimalFromFloatValue(PythonCheck):
    """A Decimal is created from a float.

    The float is the nearest binary fraction, and Decimal keeps its error to the last digit: 0.1 becomes
    0.1000000000000000055. Compute with Decimal from the start, or convert with ``Decimal(str(value))``.
    """

    ID = "PY086"
    NAME = "decimal-from-float-value"
    MATURITY = Maturity.PREVIEW
    WORDS = ("Decimal",)
    DEFECT_CLASS = "decimal-from-float"
    VALID = [
        code("""
            from decimal import Decimal
            def f(x: float):
                return Decimal(str(x))
        """),
        code("""
            from decimal import Decimal
            def f(x: int):
                return Decimal(x)
        """),
    ]
    INVALID = [
        code("""
            from decimal import Decimal
            def f(x: float):
                return «Decimal(x)»
        """),
        code("""
            import decimal
            def f(n):
                return «decimal.Decimal(n * 1.2)»
        """),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        if len(node.args) != 1 or self.module.imported_name(node.func) != "decimal.Decimal":
            return
        parent = next(iter(self.module.ancestors(node)), None)
        rounds = isinstance(parent, ast.Attribute) and parent.attr in _ROUNDS
        if not rounds and self._is_float(node.args[0]):
            value = unparse(node.args[0])[:40]
            text = f"Decimal keeps the binary error of the float {value}; convert it with Decimal(str(...))"
            self.report(self.module.span(node), text)

    def _is_float(self, value: ast.expr) -> bool:
        """Return True if a value is a float for certain; a literal by itself is for ruff to report."""
        if isinstance(value, ast.BinOp):
            return any(_is_float_literal(n) for n in (value.left, value.right)) or self._is_float(value.left)
        if isinstance(value, ast.Call):
            return isinstance(value.func, ast.Name) and value.func.id == "float"
        if isinstance(value, ast.Name):
            return self._is_float_parameter(value)
        return False

    def _is_float_parameter(self, name: ast.Name) -> bool:
        function = self.module.function_of(name)
        if not isinstance(function, FunctionNode):
            return False
        arguments = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
        noted = [a.annotation for a in arguments if a.arg == name.id]
        stored = any(
            isinstance(n, ast.Name) and n.id == name.id and isinstance(n.ctx, ast.Store)
            for n in walk(function)
        )
        return not stored and any(isinstance(item, ast.Name) and item.id == "float" for item in noted)


def _is_float_literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, float)
