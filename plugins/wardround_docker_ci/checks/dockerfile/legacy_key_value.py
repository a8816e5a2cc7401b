from __future__ import annotations

import re

from wardround.findings import Severity, SuggestedFix
from wardround.languages.dockerfile import Instruction
from wardround.rules.cases import code
from wardround_docker_ci.check import DOCKERFILE, CiCheck


class LegacyKeyValue(CiCheck):
    """ENV or LABEL without an equals sign uses the rest of the line as one value.

    The form is legacy, and a second pair on the line becomes part of the first value. Write `ENV
    NAME=value`.
    """

    ID = "DC027"
    NAME = "legacy-key-value"
    SEVERITY = Severity.INFO
    KINDS = DOCKERFILE
    NEEDS = ("ENV", "env", "Env", "LABEL", "label")
    VALID = [
        code("""
            FROM a:1
            ENV A=b C=d
        """),
        code(r"""
            FROM a:1
            ENV A=b \
              C=d
        """),
    ]
    INVALID = [
        code(
            """
            FROM a:1
            «ENV A b»
            """,
            fixed="""
            FROM a:1
            ENV A=b
            """,
        ),
        code(
            """
            FROM a:1
            «ENV A b c»
            """,
            fixed="""
            FROM a:1
            ENV A="b c"
            """,
        ),
    ]

    def run(self) -> None:
        for instruction in self.file.dockerfile.instructions:
            words = instruction.text.split()
            is_old = instruction.keyword in ("ENV", "LABEL") and len(words) > 1 and "=" not in words[0]
            if is_old and not words[0].startswith(("$", '"', "'")):
                self.report_at(
                    instruction.start,
                    instruction.end,
                    f"legacy {instruction.keyword} without an equals sign; "
                    f"write {instruction.keyword} {words[0]}=...",
                    self._fix(instruction),
                )

    def _fix(self, item: Instruction) -> SuggestedFix | None:
        name, value = re.match(r"(\S+)\s+(.*)", item.text, re.DOTALL).groups()  # type: ignore[union-attr]
        if re.search(r"[\"'\\]|\n", value) or self.file.places.line(item.start) != self.file.places.line(
            item.end
        ):
            return None
        start = item.body.start + len(item.body.text) - len(item.body.text.lstrip())
        quoted = f'"{value}"' if re.search(r"\s", value) else value
        return self.replacing(start, item.end, f"{name}={quoted}", "write it with an equals sign", safe=True)
