"""TS075: month off by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_MONTH = LazyPattern(r"\.getMonth\(\)$|\.getUTCMonth\(\)$")
_DATE_PARTS = ("getFullYear()", "getUTCFullYear()")
_DAY = LazyPattern(r"\.get(UTC)?Day\(\)$")
_FORMATTERS = ("String", "pad", "padZero", "zeroPad", "pad2", "twoDigits")


class MonthOffByOne(TreeCheck):
    """Months are counted from 0, and ``getDay`` returns the day of the week.

    January is 0 for ``getMonth`` and for ``new Date(year, month, day)``. Add 1 to print the month, use
    ``getDate`` for the day of the month, and 11 for December.
    """

    ID = "TS075"
    NAME = "month-off-by-one"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "date-off-by-one"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = ("Month()", "new Date(")
    ALSO = (("FullYear()", ", 12,"),)
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            const text = `${d.getFullYear()}-${d.getMonth() + 1}-${d.getDate()}`;
            const key = new Date(d.getFullYear(), d.getMonth(), 1);
        """),
        code("""
            const text = `${MONTHS[d.getMonth()]} ${d.getFullYear()}`;
        """),
    ]
    INVALID = [
        code("""
            const text = `${d.getFullYear()}-${«d.getMonth()»}-${d.getDate()}`;
        """),
        code("""
            const text = d.getDate() + '/' + «d.getMonth()» + '/' + d.getFullYear();
        """),
    ]

    def check(self) -> None:
        for called, call in self.code.calls:
            if called.endswith(("Month", "Day")):
                self._check_part(call)
        for node in self.code.kinds("new_expression"):
            if self._is_thirteenth_month(node):
                self.report_node(node, "months are counted from 0, so 12 is January of the next year; use 11")

    def _check_part(self, call: Node) -> None:
        code = self.code
        text = self._written(call)
        if text is None or not any(part in text for part in _DATE_PARTS):
            return
        if _MONTH.search(code.text(call)):
            self.report_node(call, "getMonth counts from 0, so the printed month is the previous one; add 1")
        elif _DAY.search(code.text(call)) and "Month()" in text and "getDate()" not in text:
            self.report_node(call, "getDay returns the day of the week; use getDate for the day of the month")

    def _is_thirteenth_month(self, node: Node) -> bool:
        code = self.code
        arguments = node.child_by_field_name("arguments")
        parts = [code.text(one) for one in arguments.named_children] if arguments is not None else []
        if code.field(node, "constructor") != "Date" or len(parts) < 2:
            return False
        return parts[1] == "12" and parts[0].isdigit()

    def _written(self, call: Node) -> str | None:
        """Return the string that a call's result is inserted into unmodified; None for any other use."""
        code = self.code
        above, node = call.parent, call
        while above is not None and above.type in ("arguments", "call_expression", "member_expression"):
            is_argument = above.type == "call_expression" and above.child_by_field_name("function") != node
            if is_argument and code.called(above) not in _FORMATTERS:
                return None
            node, above = above, above.parent
        if above is None or above.parent is None:
            return None
        if above.type == "template_substitution":
            return code.text(above.parent)
        if above.type == "binary_expression":
            return self._concatenated(above, node)
        if above.type == "array" and code.text(above.parent.parent).find(".join(") > 0:
            return code.text(above)
        if above.type == "variable_declarator" and node.type == "call_expression" and node != call:
            return self._joined(code.field(above, "name"), call)
        return None

    def _concatenated(self, above: Node, node: Node) -> str | None:
        """Return the complete concatenation around an operand; None if it is not text."""
        while above.parent is not None and above.parent.type == "binary_expression":
            above = above.parent
        text = self.code.text(above)
        return text if ("'" in text or '"' in text) and node.parent == _sum_of(node) else None

    def _joined(self, name: str, call: Node) -> str | None:
        """Return the text into which a padded month is written later."""
        code = self.code
        for node in [*code.kinds("template_string"), *code.kinds("array")]:
            text = code.text(node)
            if node.start_byte > call.end_byte and any(part in text for part in _DATE_PARTS) and name in text:
                return text
        return None


def _sum_of(node: Node) -> Node | None:
    """Return the concatenation that has a value as an operand."""
    above = node.parent
    operator = above.child_by_field_name("operator") if above is not None else None
    return above if operator is not None and operator.type == "+" and not _has_number(above) else None


def _has_number(node: Node | None) -> bool:
    return node is not None and any(one.type == "number" for one in node.named_children)
