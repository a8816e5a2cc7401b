"""TS392: index as key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_CHANGING = LazyPattern(r"\.(filter|sort|toSorted|reverse|toReversed)\((?!Boolean\))")
_IDENTITY = LazyPattern(r"^(_?id|uuid|uid|guid|key|slug|\w+Id|\w+ID)$")


class IndexAsKey(TreeCheck):
    """The array index is the key of items that have an id, in a list that can change.

    When an item is filtered out, removed or sorted, each row keeps the focus, the open details and the input
    of the row that was at its index before. Use the id of the item as the key. The rule applies where the
    list is filtered or sorted in place, or where the change replaces the id by the index.
    """

    ID = "TS392"
    NAME = "index-as-key"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "unstable-key"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    KINDS = (".tsx", ".jsx", ".js")
    WORDS = ("key={",)
    ALSO = ((".map(",),)
    CASE_PATH = "a.tsx"
    VALID = [
        code("""
            const A = ({ rows }) => rows.filter((r) => r.on).map((r) => <li key={r.id}>{r.name}</li>);
        """),
        code("""
            const A = ({ rows }) => rows.map((r, i) => <li key={i}>{r.id}</li>);
        """),
    ]
    INVALID = [
        code("""
            const A = ({ rows, drop }) =>
              rows
                .filter((r) => r.on)
                .map((r, index) => (
                  <li «key={index}» onClick={() => drop(r.id)}>{r.name}</li>
                ));
        """),
        code(
            """
            const A = ({ rows }) => rows.map((r, i) => <li «key={i}»>{r.name}</li>);
            """,
            base="""
            const A = ({ rows }) => rows.map((r) => <li key={r.slug}>{r.name}</li>);
            """,
        ),
    ]

    def check(self) -> None:
        for attribute in self.code.kinds("jsx_attribute"):
            function = self._mapper(attribute)
            if function is not None and self._is_wrong(function):
                self.report_node(attribute, "array index is the key, but items have an id; use the id")

    def _mapper(self, attribute: Node) -> Node | None:
        """Yield the callbacks of ``map`` whose second parameter is the value of an attribute ``key``."""
        from wardround.languages.script.code import function_around

        code = self.code
        if code.text(attribute.named_children[0]) != "key" or len(attribute.named_children) < 2:
            return None
        name = code.text(attribute.named_children[1]).strip("{} \n")
        function = function_around(attribute)
        given = function.child_by_field_name("parameters") if function is not None else None
        if function is None or given is None or len(given.named_children) < 2:
            return None
        return function if name in code.names_in(_pattern(given.named_children[1])) else None

    def _is_wrong(self, function: Node) -> bool:
        code = self.code
        call = function.parent.parent if function.parent is not None else None
        if call is None or call.type != "call_expression" or not code.called(call).endswith(".map"):
            return False
        given = function.child_by_field_name("parameters")
        item = code.text(_pattern(given.named_children[0])) if given is not None else ""
        if not item.isidentifier():
            return False
        if self._was_keyed(item):
            return True
        return _CHANGING.search(code.called(call)) is not None and self._has_identity(function, item)

    def _has_identity(self, function: Node, item: str) -> bool:
        """Return True if the row uses the id of the item."""
        from wardround.languages.script.syntax import inside

        code = self.code
        return any(
            one.type == "member_expression"
            and code.field(one, "object") == item
            and _IDENTITY.search(code.field(one, "property"))
            for one in inside(function)
        )

    def _was_keyed(self, item: str) -> bool:
        """Return True if the change removed a key that was a property of such an item."""
        base = self.source.base_text
        key = f"key={{{item}."
        return base is not None and base.count(key) > self.source.text.count(key)


def _pattern(parameter: Node) -> Node:
    return parameter.child_by_field_name("pattern") or parameter
