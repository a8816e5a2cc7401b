"""TS079: collection as plain object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_OBJECT_CALLS = frozenset(
    {"Object.keys", "Object.values", "Object.entries", "JSON.stringify", "Object.assign"}
)
_LIST_METHODS = frozenset(
    {
        "map",
        "filter",
        "reduce",
        "find",
        "some",
        "every",
        "includes",
        "indexOf",
        "push",
        "sort",
        "slice",
        "join",
        "length",
    }
)
_MATH = frozenset({"Math.max", "Math.min"})
_LIST_TYPE = LazyPattern(r"^\??:\s*(readonly\s+)?number\[\]$|^\??:\s*(Readonly)?Array<number>$")
_COLLECTIONS = frozenset({"Map", "Set", "WeakMap", "WeakSet"})


class CollectionAsPlainObject(TreeCheck):
    """A Map, Set or Date is used like a plain object or a list.

    The entries of a Map or Set are not properties: ``Object.keys`` and ``JSON.stringify`` find none,
    ``length`` is undefined, and list methods throw. Use ``size``, ``entries()`` or ``[...set]``. ``Math.max``
    of a list is NaN: spread it. Two dates are never the same object: compare their ``getTime()``.
    """

    ID = "TS079"
    NAME = "collection-as-plain-object"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "wrong-kind-of-object"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.ERROR
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = ("new Map", "new Set", "Math.max(", "Math.min(", "new Date")
    ALSO = (("new Map", "new Set", "Math.max(", "Math.min(", "===", "=="),)
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            const seen = new Set();
            const n = seen.size + [...seen].length;
            const all = JSON.stringify([...seen]);
        """),
        code("""
            const top = (values: number[]) => Math.max(...values);
            const same = a.getTime() === b.getTime();
        """),
    ]
    INVALID = [
        code("""
            const seen = new Map();
            seen.set('a', 1);
            const text = «JSON.stringify(seen)»;
        """),
        code("""
            const seen = new Set<string>(names);
            if («seen.length» > 3) stop();
        """),
    ]

    def check(self) -> None:
        code = self.code
        for called, call in code.calls:
            self._check_call(called, call)
        for node in code.kinds("member_expression"):
            name = code.field(node, "property")
            if name in _LIST_METHODS and self._is_collection(node.child_by_field_name("object")):
                self.report_node(node, f"a Map or Set has no {name}; use size or spread it")
        for node in code.kinds("binary_expression"):
            if code.field(node, "operator") in ("===", "!==", "==", "!="):
                operands = [node.child_by_field_name("left"), node.child_by_field_name("right")]
                if all(one is not None and self._made_by(one) == "Date" for one in operands):
                    self.report_node(node, "two dates are never the same object; compare getTime()")

    def _check_call(self, called: str, call: Node) -> None:
        from wardround.languages.script.code import argument

        first = argument(call, 0)
        if first is None:
            return
        if called in _OBJECT_CALLS and self._made_by(first) in _COLLECTIONS:
            self.report_node(
                call, "entries of a Map or Set are not properties, so this finds none; use entries()"
            )
        elif called in _MATH and argument(call, 1) is None and self._is_list(first):
            self.report_node(call, "Math function of a list is NaN; spread it")

    def _is_collection(self, node: Node | None) -> bool:
        return node is not None and node.type == "identifier" and self._made_by(node) in _COLLECTIONS

    def _made_by(self, node: Node) -> str:
        """Return the class of an object that is created here, or of a const of that name."""
        code = self.code
        value: Node | None = node
        if node.type == "identifier":
            value = code.value_of(code.text(node), node)
            declaration = code.declaration(code.text(node), node)
            if (
                declaration is None
                or declaration.parent is None
                or not code.text(declaration.parent).startswith("const")
            ):
                return ""
        if value is None or value.type != "new_expression":
            return ""
        return code.field(value, "constructor")

    def _is_list(self, node: Node) -> bool:
        code = self.code
        if node.type == "array":
            return True
        if node.type == "identifier":
            declaration = code.declaration(code.text(node), node)
            value = code.value_of(code.text(node), node)
            return bool(_LIST_TYPE.search(code.field(declaration, "type"))) or (
                value is not None and value.type == "array"
            )
        return (
            node.type == "call_expression"
            and code.called(node).endswith((".map", ".filter"))
            and "Math" not in code.called(node)
        )
