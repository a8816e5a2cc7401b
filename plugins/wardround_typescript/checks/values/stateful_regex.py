"""TS074."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_FLAGS = LazyPattern(r"/[a-z]*[gy][a-z]*$")
_NEW_FLAGS = LazyPattern(r"new RegExp\((?s:.*),\s*['\"][a-z]*[gy][a-z]*['\"]\s*\)$")


class StatefulRegex(TreeCheck):
    """The pattern remembers where it stopped, so the next test begins there.

    With the flag g or y, test and exec go on from lastIndex, also on another text: every second answer is
    wrong. Leave the flag out for test, or make the pattern where it is used.
    """

    ID = "TS074"
    NAME = "stateful-regex"
    DEFECT_CLASS = "stateful-regex"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = (".test(",)
    ALSO = (("/g", "/ig", "/gi", "'g", "gi", "g'", '"g', 'g"', "/mg", "gm", "/y", "gu", "/sg", "gs"),)
    TRIED_ON = (
        "the trees of hoppscotch, langfuse, react-hook-form, redash, redux-toolkit, shadcn-ui/ui, "
        "formbricks, chainlit, chatbot-ui, lerna, webpack-cli, three Supabase starters and NodeBB "
        "(17,758 scripts): 7 hits, all read, all right"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "const WORD = /\\w+/g;\nexport const words = (text) => text.match(WORD);\n"
            "const DAY = /^day/;\nexport const isDay = (text) => DAY.test(text);\n",
            path="a.ts",
        ),
        Valid(
            "export function isDay(text) {\n  const day = /day/g;\n  return day.test(text);\n}\n", path="a.ts"
        ),
        Valid(
            "const DAY = /day/g;\nexport function isDay(text) {\n"
            "  DAY.lastIndex = 0;\n  return DAY.test(text);\n"
            "}\n",
            path="a.ts",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "const DAY = /day/gi;\nexport const isDay = (text) => DAY.test(text);\n",
            path="a.ts",
            line=2,
            column=32,
        ),
        Invalid(
            "export function days(rows) {\n  const day = new RegExp(name, 'g');\n"
            "  return rows.filter((row) => day.test(row));\n"
            "}\n",
            path="a.ts",
            line=3,
            column=31,
        ),
        Invalid(
            "class Days {\n  static day = 1;\n"
            "}\nconst DAY = /^day/y;\nfunction isDay(text) {\n"
            "  return DAY.test(text);\n"
            "}\n",
            path="a.ts",
            line=6,
            column=10,
        ),
    ]

    def look(self) -> None:
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
                self.say(
                    call, "the pattern has the flag g, so each test goes on where the one before stopped"
                )

    def _is_in_loop_condition(self, call: Node) -> bool:
        above = call.parent
        return above is not None and above.parent is not None and above.parent.type == "while_statement"
