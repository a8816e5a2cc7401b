"""TS069: numbers sorted as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_NUMBERS = LazyPattern(
    r"^:\s*(readonly\s+)?(number\[\]|(Readonly)?Array<number>)\s*(\|\s*(null|undefined))?$"
)
_NAMED = LazyPattern(
    r"(?:^|_)(?:"
    r"prices|amounts|scores|durations|latencies|ages|years|numbers|nums|timings"
    r"|timestamps|"
    r"sizes|counts|weights|totals|percentages|lengths|distances|temperatures|quantities"
    r"|millis|"
    r"seconds|minutes|ranks|salaries|ratings"
    r")$|(?<=[a-z])(?:"
    r"Prices|Amounts|Scores|Durations|Latencies|Ages|Years|Numbers|Nums|Timings"
    r"|Timestamps|"
    r"Sizes|Counts|Weights|Totals|Percentages|Lengths|Distances|Temperatures|Quantities"
    r"|Millis|"
    r"Seconds|Minutes|Ranks|Salaries|Ratings"
    r")$"
)
_TO_NUMBER = LazyPattern(
    r"\.map\(\s*(Number|parseFloat|\(?\w+\)?\s*=>\s*(Number|parseInt|parseFloat"
    r"|Math\.\w+)\(.*|\(?\w+\)?\s*=>\s*[\w.?!]+\.(getTime|valueOf|getFullYear|charCodeAt)\(\)|\(?\w+\)?\s*=>\s*\w+\.(length|size|price|amount|score|age"
    r"|count|duration|total|quantity|timestamp|millis))\s*\)?\)$"
)
_RECORD = LazyPattern(r"^:\s*Record<\s*\w+\s*,\s*number\s*>$")
_PASSING = LazyPattern(r"\.(slice|filter|concat|values|flat|reverse)$")


class NumbersSortedAsText(TreeCheck):
    """``sort`` without a compare function sorts numbers as strings, so 10 comes before 9.

    ``sort`` converts its elements to strings. Pass ``(a, b) => a - b``.
    """

    ID = "TS069"
    NAME = "numbers-sorted-as-text"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "sort-as-text"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = (".sort()", ".toSorted()")
    IN_TESTS = True
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            const a = names.sort();
            const b = (values: number[]) => values.sort((x, y) => x - y);
        """),
        code("""
            const f = (keys: string[]) => [...keys].sort();
        """),
    ]
    INVALID = [
        code(
            """
            export const times = (rows) => «rows.map((row) => row.at.getTime()).sort()»;
            """,
            path="a.js",
        ),
        code("""
            const middle = (values: number[]) => «[...values].sort()»[1];
        """),
    ]

    def check(self) -> None:
        for called, call in self.code.calls:
            if called.endswith((".sort", ".toSorted")) and self.code.field(call, "arguments") == "()":
                owner = call.child_by_field_name("function")
                if owner is not None and self._is_numbers(owner.child_by_field_name("object")):
                    self.report_node(call, "numbers are sorted as strings; pass a compare function")

    def _is_numbers(self, node: Node | None) -> bool:
        from wardround.languages.script.code import bare

        code = self.code
        one = bare(node)
        if one is None:
            return False
        if one.type == "identifier":
            return self._is_named_numbers(one)
        if one.type == "member_expression":
            return _NAMED.search(code.field(one, "property")) is not None
        if one.type == "array":
            parts = one.named_children
            if len(parts) == 1 and parts[0].type == "spread_element":
                return self._is_numbers(parts[0].named_children[0])
            return bool(parts) and all(part.type == "number" for part in parts)
        if one.type == "call_expression":
            called = code.called(one)
            if _TO_NUMBER.search(code.text(one)):
                return True
            if called in ("Object.values", "Array.from"):
                return self._is_record(one)
            owner = one.child_by_field_name("function")
            return (
                bool(_PASSING.search(called))
                and owner is not None
                and self._is_numbers(owner.child_by_field_name("object"))
            )
        return False

    def _is_named_numbers(self, name: Node) -> bool:
        code = self.code
        declaration = code.declaration(code.text(name), name)
        declared = code.field(declaration, "type")
        if declared:
            return _NUMBERS.search(declared) is not None
        value = code.value_of(code.text(name), name)
        if value is not None and value.type in ("array", "call_expression") and self._is_numbers(value):
            return True
        return _NAMED.search(code.text(name)) is not None and (value is None or value.type != "array")

    def _is_record(self, call: Node) -> bool:
        from wardround.languages.script.code import argument

        code = self.code
        first = argument(call, 0)
        if first is None or first.type != "identifier":
            return False
        declared = code.field(code.declaration(code.text(first), first), "type")
        return bool(_RECORD.search(declared)) or bool(_NUMBERS.search(declared))
