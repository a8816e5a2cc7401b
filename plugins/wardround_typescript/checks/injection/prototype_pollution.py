"""TS358: prototype pollution."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_KEPT_OUT = LazyPattern(
    r"__proto__|hasOwn|isPlainObject|prototype|Object\.create\(null\)|isSafeKey|new Map\b"
)


class PrototypePollution(TreeCheck):
    """An object is assigned under keys of the data at any depth.

    The key ``__proto__`` leads to the prototype of all objects, and a property set there appears in every
    object of the program. Skip ``__proto__``, ``constructor`` and ``prototype``, or fill
    ``Object.create(null)``.
    """

    ID = "TS358"
    NAME = "prototype-pollution"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.WARN
    DEFECT_CLASS = "prototype-pollution"
    WORDS = ("Object.keys(", "Object.entries(", ".split(", "reduce(")
    ALSO = (("] = ",),)
    VALID = [
        code("""
            function merge(into, from) {
              for (const key of Object.keys(from)) {
                if (key === '__proto__') continue;
                into[key] = isObject(from[key]) ? merge(into[key] ?? {}, from[key]) : from[key];
              }
              return into;
            }
        """),
        code("""
            function copy(into, from) {
              for (const key of Object.keys(from)) into[key] = from[key];
              return into;
            }
        """),
    ]
    INVALID = [
        code(
            """
            export function keep(path: string, value: unknown): void {
              const keys = path.split('.');
              let node: Tree = settings;
              for (const key of keys.slice(0, -1)) {
                node[key] ??= {};
                node = node[key];
              }
              «node[keys[keys.length - 1]] = value»;
            }
            """,
            path="a.ts",
        ),
        code("""
            const merge = (into, from) => {
              Object.entries(from).forEach(([key, value]) => {
                if (isObject(value)) {
                  «into[key] = merge(into[key] || {}, value)»;
                } else into[key] = value;
              });
              return into;
            };
        """),
    ]

    def check(self) -> None:
        from wardround.languages.script.code import own_nodes

        if "__proto__" in self.source.text:
            return
        for kind in ("function_declaration", "arrow_function", "function_expression", "method_definition"):
            for function in self.code.kinds(kind):
                text = self.text(function)
                if "] = " not in text or len(text) > _LONGEST or _KEPT_OUT.search(text):
                    continue
                written = [
                    node
                    for node in own_nodes(function)
                    if node.type == "assignment_expression" and self._index(node) is not None
                ]
                self._merging(function, text)
                self._walking(function, text, written)

    def _index(self, node: Node) -> Node | None:
        left = node.child_by_field_name("left")
        if left is None or left.type != "subscript_expression":
            return None
        index = left.child_by_field_name("index")
        return index if index is not None and index.type not in {"string", "number"} else None

    def _merging(self, function: Node, text: str) -> None:
        """Report ``into[key] = merge(into[key], ...)`` in merge itself, for the keys of the merged object."""
        from wardround.languages.script.syntax import inside

        own = self.code.name_of(function)
        if (
            not own
            or f"{own}(" not in text
            or not any(one in text for one in ("Object.keys(", "Object.entries("))
        ):
            return
        names = self._parameters(function)
        for node in inside(function):
            if node.type != "assignment_expression" or self._index(node) is None:
                continue
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            target = self.code.field(left, "object")
            message = self.text(right)
            if target in names[:1] and f"{own}(" in message and self.text(left) in message:
                self.report_node(
                    node, "key __proto__ in the data changes every object of the program; skip it"
                )
                return

    def _walking(self, function: Node, text: str, written: list[Node]) -> None:
        """Report an assignment at a path of keys: ``at = at[key]`` for each, then ``at[last] = value``."""
        names = self._parameters(function)
        if len(names) < 2 or ".split(" not in text:
            return
        for node in written:
            left = node.child_by_field_name("left")
            target = self.code.field(left, "object")
            steps = f"{target} = {target}["
            if steps in text and self._starts_at(target, names, text):
                self.report_node(
                    node, "path through __proto__ changes every object of the program; reject such keys"
                )
                return

    def _starts_at(self, target: str, names: list[str], text: str) -> bool:
        if len(names) > 2:
            return target in names or any(f"{target} = {name}" in text for name in names[:2])
        # Into an object of the module, as in ``let node = preferences``.
        named = rf"(?:let|var) {re.escape(target)}(?:: [\w<>\[\], ]{{1,60}})?"
        begun = re.search(named + r" = ([\w.]{1,60});", text)
        return begun is not None and begun[1] not in names

    def _parameters(self, function: Node) -> list[str]:
        listed = function.child_by_field_name("parameters")
        found: list[str] = []
        for one in listed.named_children if listed is not None else ():
            found += self.code.names_in(one.child_by_field_name("pattern") or one)
        return found


_LONGEST = 4_000
"""Length of a function in characters; merges are short."""
