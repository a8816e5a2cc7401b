"""DC041: instruction casing."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Severity
from wardround.languages.dockerfile import INSTRUCTIONS
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import DOCKERFILE, CiCheck


class InstructionCasing(CiCheck):
    """Some instructions are in upper case and some are not.

    A search for `FROM` or `RUN` misses the others. Write all of them in the same case, preferably upper
    case.
    """

    ID = "DC041"
    NAME = "instruction-casing"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.INFO
    KINDS = DOCKERFILE
    VALID = [
        code("""
            FROM a:1
            RUN b
        """),
        code("""
            from a:1
            run b
        """),
    ]
    INVALID = [
        code(
            """
            FROM a:1
            «run» b
            """,
            fixed="""
            FROM a:1
            RUN b
            """,
        ),
        code("""
            FROM a:1
              «Copy» b c
            RUN d
        """),
    ]

    def run(self) -> None:
        known = [one for one in self.file.dockerfile.instructions if one.keyword in INSTRUCTIONS]
        low = [one for one in known if one.written.text.islower()]
        convert = str.lower if len(low) > len(known) / 2 else str.upper
        for one in known:
            right = convert(one.written.text)
            if one.written.text != right:
                fix = self.replacing(one.written.start, one.written.end, right, f"write {right}", safe=True)
                self.report_at(
                    one.written.start,
                    one.written.end,
                    f"write {right}, in the case of the other instructions",
                    fix,
                )
