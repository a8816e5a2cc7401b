"""TS077: for in over array."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_LIST_TYPE = LazyPattern(r"^\??:\s*(readonly\s+)?[\w.<>| ]+\[\]$|^\??:\s*(Readonly)?Array<")
_LIST = LazyPattern(
    r"^\[|\.(filter|map|slice|concat|split|flat|flatMap|sort)\(|^Array\.(from"
    r"|of)|^Object\.(keys|values|entries)\(|^(await\s+)?Promise\.all\("
)
_NO_TEXT = frozenset(
    [
        "length",
        "slice",
        "split",
        "trim",
        "charAt",
        "indexOf",
        "includes",
        "startsWith",
        "endsWith",
        "replace",
        "toLowerCase",
        "toUpperCase",
        "match",
        "substring",
        "padStart",
        "concat",
        "localeCompare",
        "at",
        "charCodeAt",
        "search",
        "repeat",
        "toString",
        "codePointAt",
        "normalize",
        "replaceAll",
        "padEnd",
        "test",
    ]
)


class ForInOverArray(TreeCheck):
    """``for ... in`` iterates over keys where the items are expected.

    The keys of a list are "0", "1" and so on, as strings, in no guaranteed order, with inherited ones. Use
    ``for ... of`` or ``forEach``.
    """

    ID = "TS077"
    NAME = "for-in-over-array"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "for-in-over-list"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = ("for (const", "for (let", "for (var", "for(const", "for(let", "for(var")
    ALSO = ((" in ",),)
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            for (const key in byId) {
              show(byId[key].name);
            }
            for (const row of rows) show(row.name);
        """),
        code("""
            for (const key in headers) {
              if (key.startsWith('x-')) drop(key.length);
            }
        """),
    ]
    INVALID = [
        code(
            """
            «for (const row in rows) {
              show(row.name);
            }»
            """,
            path="a.js",
        ),
        code("""
            function sum(values: number[]) {
              let all = 0;
              «for (const value in values) {
                all += value;
              }»
              return all;
            }
        """),
    ]

    def check(self) -> None:
        code = self.code
        for node in code.kinds("for_in_statement"):
            if code.field(node, "operator") != "in":
                continue
            name = code.field(node, "left")
            right = node.child_by_field_name("right")
            if right is not None and name.isidentifier() and self._is_wrong(node, name, right):
                self.report_node(node, f"{name} is a key, not an item of the list; use for ... of")

    def _is_wrong(self, loop: Node, name: str, right: Node) -> bool:
        from wardround.languages.script.syntax import inside

        code = self.code
        body = loop.child_by_field_name("body")
        if body is None:
            return False
        uses = [one for one in inside(body) if one.type == "identifier" and code.text(one) == name]
        parents = [one.parent for one in uses if one.parent is not None]
        if any(one.type == "subscript_expression" for one in parents):
            return False
        read = [
            code.field(one, "property")
            for one, use in zip(parents, uses, strict=False)
            if one.type == "member_expression" and one.child_by_field_name("object") == use
        ]
        if any(one not in _NO_TEXT for one in read):
            return True
        return bool(uses) and not read and self._is_list(right) and not self._is_counted(body, name)

    def _is_list(self, node: Node) -> bool:
        code = self.code
        if node.type != "identifier":
            return node.type == "array"
        declaration = code.declaration(code.text(node), node)
        if _LIST_TYPE.search(code.field(declaration, "type")):
            return True
        value = code.value_of(code.text(node), node)
        return value is not None and _LIST.search(code.text(value)) is not None

    def _is_counted(self, body: Node, name: str) -> bool:
        """Return True if the loop converts the key to a number, and so uses it as an index."""
        text = self.code.text(body)
        return (
            f"Number({name}" in text
            or f"parseInt({name}" in text
            or f"+{name}" in text.replace(" ", "").replace("+=", "")
        )
