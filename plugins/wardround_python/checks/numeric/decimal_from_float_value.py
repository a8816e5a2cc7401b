"""PY086."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import walk
from wardround_python.check import PythonCheck

_ROUNDS = frozenset({"quantize", "normalize", "to_integral_value"})


class DecimalFromFloatValue(PythonCheck):
    """A Decimal is made of a float.

    The float is the nearest binary fraction, and Decimal keeps its error to the last digit: 0.1 becomes
    0.1000000000000000055. Compute with Decimal from the start, or convert with ``Decimal(str(value))``.
    """

    ID = "PY086"
    NAME = "decimal-from-float-value"
    WORDS = ("Decimal",)
    DEFECT_CLASS = "decimal-from-float"
    TRIED_ON = "only its cases"
    VALID: ClassVar[Sequence[str | Valid]] = [
        "from decimal import Decimal\ndef f(x: float):\n    return Decimal(str(x))\n",
        "from decimal import Decimal\ndef f(x: int):\n    return Decimal(x)\n",
        "from decimal import Decimal\ndef f(x: float):\n    return Decimal(x).quantize(Decimal('0.01'))\n",
        "from decimal import Decimal\ndef f(x: float):\n    x = str(x)\n    return Decimal(x)\n",
        "from decimal import Decimal\ndef f(x: float | str):\n    return Decimal(x)\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("from decimal import Decimal\ndef f(x: float):\n    return Decimal(x)\n", 3, 12),
        Invalid("import decimal\ndef f(n):\n    return decimal.Decimal(n * 1.2)\n", 3, 12),
        Invalid("from decimal import Decimal\ndef f(text):\n    return Decimal(float(text))\n", 3, 12),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        if len(node.args) != 1 or self.module.imported_name(node.func) != "decimal.Decimal":
            return
        parent = next(iter(self.module.ancestors(node)), None)
        rounds = isinstance(parent, ast.Attribute) and parent.attr in _ROUNDS
        if not rounds and self._is_float(node.args[0]):
            value = ast.unparse(node.args[0])[:40]
            text = f"Decimal keeps the binary error of the float {value}; convert its text instead"
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
        return not stored and any(isinstance(one, ast.Name) and one.id == "float" for one in noted)


def _is_float_literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, float)
