from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck
from wardround_typescript.syntax.nodes import child, is_kind, nearest

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
        for node in self.code.kinds("unary_expression"):
            target = child(node, "argument")
            if self.code.field(node, "operator") != "delete" or not is_kind(target, "subscript_expression"):
                continue
            owner, index = child(target, "object"), child(target, "index")
            if owner is not None and index is not None and self._is_item(owner, index):
                self.report_node(node, "delete leaves a hole in the list; use splice")

    def _is_item(self, owner: Node, index: Node) -> bool:
        """Return True if an index is a position of a list, or its owner is one."""
        if self._is_position(owner, index):
            return True
        if owner.type != "identifier" or index.type == "string":
            return False
        name = self.text(owner)
        declared = self.code.field(self.code.declaration(name, owner), "type")
        if declared:
            return _LIST_TYPE.search(declared) is not None
        value = self.code.value_of(name, owner)
        if is_kind(value, "call_expression"):
            return _LIST.search(self.code.callee(value)) is not None
        return is_kind(value, "array")

    def _is_position(self, owner: Node, index: Node) -> bool:
        """Return True for an index that is searched in the list, or that counts up to its length."""
        name, written = self.text(owner), self.text(index)
        if index.type == "identifier":
            written = self.text(self.code.value_of(written, index))
        if _INDEX.search(written) and name in written:
            return True
        return f"< {name}.length" in self._loop_around(index)

    def _loop_around(self, node: Node) -> str:
        return self.code.field(nearest(node, ("for_statement",)), "condition")
