"""TS070: delete array element."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_INDEX = LazyPattern(r"\.(findIndex|indexOf|findLastIndex|lastIndexOf)\(|\.length\s*-\s*1$")
_LIST = LazyPattern(r"\.(filter|map|slice|concat|split|flat)$|^Array\.(from|of)$")
_LIST_TYPE = LazyPattern(r"\[\]$|^:\s*(Readonly)?Array<")


class DeleteArrayElement(TreeCheck):
    """``delete`` leaves a hole in the list, and its length does not change.

    The element reads as undefined: later iterations skip it or fail on it. Use ``splice``, or create a list
    without the item with ``filter``.
    """

    ID = "TS070"
    NAME = "delete-array-element"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "array-delete"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = ("delete ",)
    ALSO = (("[",),)
    IN_TESTS = False
    CASE_PATH = "a.js"
    VALID = [
        code("""
            const byId = {};
            function drop(id) {
              delete byId[id];
            }
        """),
        code("""
            const at = rows.indexOf(row);
            delete byIndex[row.id];
            rows.splice(at, 1);
        """),
    ]
    INVALID = [
        code("""
            function drop(list, code) {
              const at = list.findIndex((one) => one.code === code);
              «delete list[at]»;
            }
        """),
        code(
            """
            const rows: Row[] = [];
            export const drop = (at: number) => {
              «delete rows[at]»;
            };
            """,
            path="a.ts",
        ),
    ]

    def check(self) -> None:
        code = self.code
        for node in code.kinds("unary_expression"):
            target = node.child_by_field_name("argument")
            if (
                code.field(node, "operator") != "delete"
                or target is None
                or target.type != "subscript_expression"
            ):
                continue
            held, at = target.child_by_field_name("object"), target.child_by_field_name("index")
            if held is not None and at is not None and self._is_item(held, at):
                self.report_node(node, "delete leaves a hole in the list; use splice")

    def _is_item(self, held: Node, at: Node) -> bool:
        code = self.code
        made = code.text(code.value_of(code.text(at), at)) if at.type == "identifier" else code.text(at)
        if _INDEX.search(made) and code.text(held) in made:
            return True
        if f"< {code.text(held)}.length" in self._loop_around(at):
            return True
        if held.type != "identifier" or at.type == "string":
            return False
        declaration = code.declaration(code.text(held), held)
        declared = code.field(declaration, "type")
        if declared:
            return _LIST_TYPE.search(declared) is not None
        value = code.value_of(code.text(held), held)
        if value is None or value.type != "call_expression":
            return value is not None and value.type == "array"
        return _LIST.search(code.called(value)) is not None

    def _loop_around(self, node: Node) -> str:
        above = node.parent
        while above is not None and above.type != "for_statement":
            above = above.parent
        return self.code.field(above, "condition")
