"""TS080: string concatenation of number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_TEXT = LazyPattern(
    r"\.toFixed\(\d*\)$|^(event|e|ev|evt)\.(target|currentTarget)\.value$|\.(searchParams"
    r"|params|query|URLSearchParams\(.*\))\.get\([^()]*\)!?$"
    r"|^(window\.)?(localStorage|sessionStorage)\.getItem\([^()]*\)!?$|^(window\.)?prompt\([^()"
    r"]*\)$|\.getAttribute\([^()]*\)!?$|\.dataset\.\w+!?$"
)
_COMPARED = frozenset({"<", ">", "<=", ">="})
_FIXED = LazyPattern(r"\.toFixed\(\d*\)$")


class StringConcatenationOfNumber(TreeCheck):
    """A string is added to a number, which concatenates them.

    ``toFixed``, the value of a field, a stored entry and a URL parameter are strings: "2" + 1 is "21", and
    "9.5" is greater than "10.0". Convert to a number first, and format last.
    """

    ID = "TS080"
    NAME = "string-concatenation-of-number"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "text-as-number"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = (
        "toFixed(",
        ".target.value",
        ".getItem(",
        ".get(",
        "prompt(",
        "getAttribute(",
        ".dataset.",
        "currentTarget.value",
    )
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            const text = price.toFixed(2) + ' EUR';
            const sum = Number(event.target.value) + 1;
        """),
        code("""
            const n = Number(total.toFixed(2)) + 1;
            const count = cache.get(id) + 1;
        """),
    ]
    INVALID = [
        code("""
            let total = 0;
            for (const row of rows) «total += row.price.toFixed(2)»;
        """),
        code("""
            const next = «searchParams.searchParams.get('page') + 1»;
        """),
    ]

    def check(self) -> None:
        for node in self.code.kinds("augmented_assignment_expression"):
            if self._appends_fixed(node):
                self.report_node(
                    node, "toFixed returns a string, so this concatenates; add the numbers first"
                )
        for node in self.code.kinds("binary_expression"):
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if left is not None and right is not None:
                self._check_operands(node, left, right)

    def _appends_fixed(self, node: Node) -> bool:
        """Return True for ``sum += x.toFixed(2)`` with a variable that starts as a number."""
        code, left = self.code, node.child_by_field_name("left")
        if left is None or left.type != "identifier" or code.field(node, "operator") != "+=":
            return False
        if not _FIXED.search(code.field(node, "right")):
            return False
        value = code.value_of(code.text(left), left)
        return value is not None and value.type == "number"

    def _check_operands(self, node: Node, left: Node, right: Node) -> None:
        code = self.code
        operator = code.field(node, "operator")
        if operator == "+" and right.type == "number" and _TEXT.search(code.text(left)):
            self.report_node(
                node, "this is a string, so the number is concatenated instead of added; convert it"
            )
        elif operator in _COMPARED and _FIXED.search(code.text(left)) and _FIXED.search(code.text(right)):
            self.report_node(
                node, "strings are compared here, so 9.5 is greater than 10.0; convert them to numbers"
            )
