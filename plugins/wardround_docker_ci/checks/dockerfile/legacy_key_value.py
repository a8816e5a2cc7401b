"""DC027: legacy key value."""

from __future__ import annotations

import re

from wardround.checks.cases import code
from wardround.findings import Severity, SuggestedFix
from wardround.languages.dockerfile import Instruction
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
        for one in self.file.dockerfile.instructions:
            words = one.text.split()
            is_old = one.keyword in ("ENV", "LABEL") and len(words) > 1 and "=" not in words[0]
            if is_old and not words[0].startswith(("$", '"', "'")):
                self.report_at(
                    one.start,
                    one.end,
                    f"legacy {one.keyword} without an equals sign; write {one.keyword} {words[0]}=...",
                    self._fix(one),
                )

    def _fix(self, one: Instruction) -> SuggestedFix | None:
        name, value = re.match(r"(\S+)\s+(.*)", one.text, re.DOTALL).groups()  # type: ignore[union-attr]
        if re.search(r"[\"'\\]|\n", value) or self.file.places.line(one.start) != self.file.places.line(
            one.end
        ):
            return None
        start = one.body.start + len(one.body.text) - len(one.body.text.lstrip())
        quoted = f'"{value}"' if re.search(r"\s", value) else value
        return self.replacing(start, one.end, f"{name}={quoted}", "write it with an equals sign", safe=True)
