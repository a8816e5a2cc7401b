from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.syntax.nodes import child, is_kind, parts

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_KEPT_OUT = LazyPattern(
    r"__proto__|hasOwn|isPlainObject|prototype|Object\.create\(null\)|isSafeKey|new Map\b"
)
_FUNCTIONS = ("function_declaration", "arrow_function", "function_expression", "method_definition")
_LISTS_KEYS = ("Object.keys(", "Object.entries(")


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
        if "__proto__" in self.source.text:
            return
        for kind in _FUNCTIONS:
            for function in self.code.kinds(kind):
                self._check_function(function)

    def _check_function(self, function: Node) -> None:
        text = self.text(function)
        if "] = " not in text or len(text) > _LONGEST or _KEPT_OUT.search(text):
            return
        self._check_merge(function, text)
        self._check_walk(function, text)

    def _is_by_key(self, assignment: Node) -> bool:
        """Return True for an assignment under a key that is not a literal."""
        target = child(assignment, "left")
        if assignment.type != "assignment_expression" or not is_kind(target, "subscript_expression"):
            return False
        index = child(target, "index")
        return index is not None and index.type not in {"string", "number"}

    def _check_merge(self, function: Node, text: str) -> None:
        """Report ``into[key] = merge(into[key], ...)`` in merge itself, for the keys of the merged object."""
        from wardround.languages.script.syntax import inside

        own = self.code.name_of(function)
        if not own or f"{own}(" not in text or not any(lists in text for lists in _LISTS_KEYS):
            return
        targets = self._parameters(function)[:1]
        merges = (node for node in inside(function) if self._is_merge(node, own, targets))
        first = next(merges, None)
        if first is not None:
            self.report_node(first, "key __proto__ in the data changes every object of the program; skip it")

    def _is_merge(self, node: Node, own: str, targets: list[str]) -> bool:
        if not self._is_by_key(node):
            return False
        target, merged = child(node, "left"), self.code.field(node, "right")
        if self.code.field(target, "object") not in targets:
            return False
        return f"{own}(" in merged and self.text(target) in merged

    def _check_walk(self, function: Node, text: str) -> None:
        """Report an assignment at a path of keys: ``at = at[key]`` for each, then ``at[last] = value``."""
        names = self._parameters(function)
        if len(names) < 2 or ".split(" not in text:
            return
        for assignment in self._assignments_by_key(function):
            target = self.code.field(child(assignment, "left"), "object")
            if f"{target} = {target}[" in text and self._starts_at(target, names, text):
                self.report_node(
                    assignment,
                    "path through __proto__ changes every object of the program; reject such keys",
                )
                return

    def _assignments_by_key(self, function: Node) -> Iterator[Node]:
        from wardround.languages.script.code import own_nodes

        return filter(self._is_by_key, own_nodes(function))

    def _starts_at(self, target: str, names: list[str], text: str) -> bool:
        if len(names) > 2:
            return target in names or any(f"{target} = {name}" in text for name in names[:2])
        # Into an object of the module, as in ``let node = preferences``.
        named = rf"(?:let|var) {re.escape(target)}(?:: [\w<>\[\], ]{{1,60}})?"
        begun = re.search(named + r" = ([\w.]{1,60});", text)
        return begun is not None and begun[1] not in names

    def _parameters(self, function: Node) -> list[str]:
        found: list[str] = []
        for parameter in parts(child(function, "parameters")):
            found += self.code.names_in(child(parameter, "pattern") or parameter)
        return found


_LONGEST = 4_000
"""Length of a function in characters; merges are short."""
