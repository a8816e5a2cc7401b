"""DC043: stage name casing."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Severity
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import DOCKERFILE, CiCheck


class StageNameCasing(CiCheck):
    """A stage's name contains upper case letters, which Docker does not distinguish from lower case.

    Two names that look different then refer to one stage. Write stage names in lower case.
    """

    ID = "DC043"
    NAME = "stage-name-casing"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.INFO
    KINDS = DOCKERFILE
    VALID = [
        code("""
            FROM a:1 AS build
        """),
        code("""
            FROM a:1
        """),
    ]
    INVALID = [
        code("""
            FROM a:1 AS «Build»
        """),
        code("""
            FROM a:1 AS «buildBase»
            FROM buildBase
        """),
    ]

    def run(self) -> None:
        for stage in self.file.dockerfile.stages:
            if (
                stage.name is not None
                and stage.name.text != stage.name.text.lower()
                and "$" not in stage.name.text
            ):
                self.report_at(
                    stage.name.start,
                    stage.name.end,
                    f'write the stage name in lower case: "{stage.name.text.lower()}"',
                )
