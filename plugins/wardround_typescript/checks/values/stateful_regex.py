"""TS074: stateful regex."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

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
        from wardround.languages.script.code import function_around

        code = self.code
        for called, call in code.calls:
            name = called.removesuffix(".test")
            if not called.endswith(".test") or not name.isidentifier():
                continue
            declaration = code.declaration(name, call)
            value = code.value_of(name, call)
            if declaration is None or value is None or f"{name}.lastIndex" in code.module.text:
                continue
            text = code.text(value)
            if ((value.type == "regex" and _FLAGS.search(text)) or _NEW_FLAGS.search(text)) and (
                function_around(call) != function_around(declaration) and not self._is_in_loop_condition(call)
            ):
                self.report_node(
                    call,
                    "pattern has the flag g, so each test continues after the previous match; omit the flag",
                )

    def _is_in_loop_condition(self, call: Node) -> bool:
        above = call.parent
        return above is not None and above.parent is not None and above.parent.type == "while_statement"
