"""TS072: float sum equality."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_PART = (
    r"(amount|price|total|euros?|dollars?|cost|balance|share|percent(age)?|weight"
    r"|rate|tax|fee|ratio|fraction|value)"
)
_SUMMED = LazyPattern(rf"(?i)\+\s*(Number\()?[\w.]*{_PART}\)?\s*[,)]")
_WHOLE = LazyPattern(
    r"(?i)cents|count|quantity|\bint|round|floor|trunc|toFixed|pennies|minor|units"
    r"|BigInt|Decimal|big\("
)
_TENTHS = LazyPattern(r"^\d*\.\d+$")
_EQUAL = frozenset({"===", "!==", "==", "!="})


class FloatSumEquality(TreeCheck):
    """A sum of fractions is compared exactly although it is rounded.

    A double cannot represent most decimal fractions: 0.1 + 0.2 is not 0.3. Add integer cents, or test whether
    the difference is smaller than half of the smallest unit.
    """

    ID = "TS072"
    NAME = "float-sum-equality"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "float-equality"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.INFO
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = ("===", "!==")
    ALSO = (("reduce(", "0.", "+="),)
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            const even = rows.reduce((sum, row) => sum + row.cents, 0) === total;
        """),
        code("""
            const none = rows.reduce((sum, row) => sum + row.amount, 0) === 0;
            const a = x === 0.5;
        """),
    ]
    INVALID = [
        code("""
            const even = «rows.reduce((sum, row) => sum + row.amount, 0) === total»;
        """),
        code("""
            const sum = rows.map(price).reduce((all, price) => all + price, 0);
            const even = «sum !== order.total»;
        """),
    ]

    def check(self) -> None:
        code = self.code
        for node in code.kinds("binary_expression"):
            if code.field(node, "operator") not in _EQUAL:
                continue
            operands = (node.child_by_field_name("left"), node.child_by_field_name("right"))
            if any(
                side is not None and side.type in ("number", "null", "undefined", "string")
                for side in operands
            ):
                continue
            if any(self._is_fraction(side) for side in operands):
                self.report_node(
                    node, "rounded sum is rarely equal to a constant; compare the difference with a tolerance"
                )

    def _is_fraction(self, node: Node | None) -> bool:
        from wardround.languages.script.code import bare

        code = self.code
        one = bare(node)
        if one is not None and one.type == "identifier":
            one = code.value_of(code.text(one), one)
        if one is None or _WHOLE.search(code.text(one)):
            return False
        if one.type == "call_expression":
            return code.called(one).endswith(".reduce") and _SUMMED.search(code.text(one)) is not None
        if one.type == "binary_expression" and code.field(one, "operator") in ("*", "+", "-"):
            return any(
                _TENTHS.search(code.text(side)) for side in one.named_children if side.type == "number"
            )
        return False
