"""PY050: float equality."""

from __future__ import annotations

import ast
from functools import cached_property

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround.languages.python.module import last_name
from wardround.languages.python.tree import unparse, walk
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_MONEY = LazyPattern(r"(\w+_)?(price|amount|total|cost|fee|subtotal|balance|net|gross|tax|charge)(_\w+)?")


class FloatEquality(PythonCheck):
    """Floats are compared for equality, or money is truncated to cents.

    ``0.1 + 0.2 == 0.3`` is False and ``int(19.99 * 100)`` is 1998. Use Decimal for money, ``round`` before
    ``int``, and ``math.isclose`` for other values.
    """

    ID = "PY050"
    NAME = "float-equality"
    MATURITY = Maturity.PREVIEW
    WORDS = ("float", "* 100", "*100")
    DEFECT_CLASS = "float-equality"
    SEVERITY = Severity.INFO
    VALID = [
        code("""
            def f(a: float, b: float):
                return abs(a - b) < 0.01
        """),
        code("""
            def f(a: float):
                return a == 0
        """),
    ]
    INVALID = [
        code("""
            class Bill:
                gross: float

            def f(bill, shares):
                due = {s: bill.gross * s for s in shares}
                return «sum(due.values()) != bill.gross»
        """),
        code("""
            def f(price: float, paid: float):
                return «paid == price»
        """),
    ]

    def visit_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            return
        sides = (node.left, node.comparators[0])
        of_money = any(_MONEY.fullmatch(last_name(side)) for side in sides) or any(
            isinstance(s, ast.BinOp) or (isinstance(s, ast.Call) and getattr(s.func, "id", "") == "sum")
            for s in sides
        )
        if of_money and all(map(self._is_float, sides)):
            self.report(
                self.module.span(node),
                "equal float results may differ in the last digit; use math.isclose or Decimal",
            )

    def _is_float(self, value: ast.expr) -> bool:
        if isinstance(value, ast.BinOp):
            return self._is_float(value.left) or self._is_float(value.right) or isinstance(value.op, ast.Div)
        if isinstance(value, ast.Call) and getattr(value.func, "id", "") == "sum" and value.args:
            return self._are_floats(value.args[0])
        if isinstance(value, ast.Call):
            return isinstance(value.func, ast.Name) and value.func.id == "float" and len(value.args) == 1
        if isinstance(value, ast.Name):
            scope = self.module.function_of(value)
            kinds = {
                unparse(a.annotation)
                for a in walk(scope or value)
                if isinstance(a, ast.arg) and a.arg == value.id and a.annotation is not None
            }
            return kinds == {"float"}
        return isinstance(value, ast.Attribute) and self._attributes.get(value.attr) == {"float"}

    def _are_floats(self, values: ast.expr) -> bool:
        """Return True if the summed values are computed as floats: a comprehension, or the values of one."""
        if isinstance(values, (ast.GeneratorExp, ast.ListComp)):
            return self._is_float(values.elt)
        func = values.func if isinstance(values, ast.Call) else None
        if (
            not isinstance(func, ast.Attribute)
            or func.attr != "values"
            or not isinstance(func.value, ast.Name)
        ):
            return False
        value = self.module.assigned.get(func.value.id, [])
        return bool(value) and all(isinstance(m, ast.DictComp) and self._is_float(m.value) for m in value)

    @cached_property
    def _attributes(self) -> dict[str, set[str]]:
        """Return the annotation of each field or property of the module's classes."""
        result: dict[str, set[str]] = {}
        for node in self.module.nodes:
            if isinstance(node, ast.AnnAssign):
                name = node.target.attr if isinstance(node.target, ast.Attribute) else unparse(node.target)
                result.setdefault(name, set()).add(unparse(node.annotation))
            elif isinstance(node, ast.FunctionDef) and self.module.class_of(node) is not None:
                is_property = any("property" in unparse(decorator) for decorator in node.decorator_list)
                kind = unparse(node.returns) if node.returns is not None and is_property else "?"
                result.setdefault(node.name, set()).add(kind)
        return result

    def visit_Call(self, node: ast.Call) -> None:
        if not isinstance(node.func, ast.Name) or node.func.id != "int" or len(node.args) != 1:
            return
        product = node.args[0]
        if not isinstance(product, ast.BinOp) or not isinstance(product.op, ast.Mult):
            return
        factors = [product.left, product.right]
        if not any(isinstance(f, ast.Constant) and f.value == 100 for f in factors):
            return
        written = unparse(product)
        names = {n.id if isinstance(n, ast.Name) else getattr(n, "attr", "") for n in walk(product)}
        names |= {
            str(n.value) for n in walk(product) if isinstance(n, ast.Constant) and isinstance(n.value, str)
        }
        if (
            any(_MONEY.fullmatch(name) for name in names)
            and "round(" not in written
            and "Decimal" not in self.source.text
        ):
            self.report(
                self.module.span(node),
                "int() truncates the binary error of a float: 19.99 * 100 becomes 1998; round first",
            )
