from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck
from wardround_typescript.syntax.nodes import is_kind, parent

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_FLAGS = LazyPattern(r"/[a-z]*[gy][a-z]*$")
_NEW_FLAGS = LazyPattern(r"new RegExp\((?s:.*),\s*['\"][a-z]*[gy][a-z]*['\"]\s*\)$")


class StatefulRegex(TreeCheck):
    """A pattern with the flag g or y keeps its position between tests.

    ``test`` and ``exec`` continue from ``lastIndex``, also on another text, so every second result is wrong.
    Omit the flag for ``test``, or create the pattern where it is used.
    """

    ID = "TS074"
    NAME = "stateful-regex"
    DEFECT_CLASS = "stateful-regex"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = (".test(",)
    ALSO = (("/g", "/ig", "/gi", "'g", "gi", "g'", '"g', 'g"', "/mg", "gm", "/y", "gu", "/sg", "gs"),)
    CASE_PATH = "a.ts"
    VALID = [
        code(r"""
            const WORD = /\w+/g;
            export const words = (text) => text.match(WORD);
            const DAY = /^day/;
            export const isDay = (text) => DAY.test(text);
        """),
        code("""
            export function isDay(text) {
              const day = /day/g;
              return day.test(text);
            }
        """),
    ]
    INVALID = [
        code("""
            const DAY = /day/gi;
            export const isDay = (text) => «DAY.test(text)»;
        """),
        code("""
            export function days(rows) {
              const day = new RegExp(name, 'g');
              return rows.filter((row) => «day.test(row)»);
            }
        """),
    ]

    def check(self) -> None:
        for called, call in self.code.calls:
            name, dot, method = called.rpartition(".")
            if dot and method == "test" and name.isidentifier() and self._is_shared(name, call):
                self.report_node(
                    call,
                    "pattern has the flag g, so each test continues after the previous match; omit the flag",
                )

    def _is_shared(self, name: str, call: Node) -> bool:
        """Return True if a pattern with a position is declared outside of the function that tests it."""
        from wardround.languages.script.code import function_around

        declaration = self.code.declaration(name, call)
        value = self.code.value_of(name, call)
        if declaration is None or value is None or not self._is_stateful(value):
            return False
        if f"{name}.lastIndex" in self.code.module.text or self._is_in_loop_condition(call):
            return False
        return function_around(call) != function_around(declaration)

    def _is_stateful(self, pattern: Node) -> bool:
        text = self.text(pattern)
        if pattern.type == "regex" and _FLAGS.search(text):
            return True
        return _NEW_FLAGS.search(text) is not None

    def _is_in_loop_condition(self, call: Node) -> bool:
        return is_kind(parent(call.parent), "while_statement")
