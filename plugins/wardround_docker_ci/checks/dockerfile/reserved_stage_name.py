"""DC020: reserved stage name."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import DOCKERFILE, CiCheck


class ReservedStageName(CiCheck):
    """A stage has a name that Docker reserves.

    `scratch` is the empty image and `context` the build context, so a reference to the stage does not
    resolve to it. Rename the stage.
    """

    ID = "DC020"
    NAME = "reserved-stage-name"
    MATURITY = Maturity.PREVIEW
    KINDS = DOCKERFILE
    NEEDS = ("scratch", "context", "SCRATCH", "CONTEXT", "Scratch", "Context")
    VALID = [
        code("""
            FROM scratch AS out
        """),
        code("""
            FROM a:1 AS build-context
        """),
    ]
    INVALID = [
        code("""
            FROM a:1 AS «scratch»
        """),
        code("""
            FROM a:1 AS «context»
            FROM b:1
        """),
    ]

    def run(self) -> None:
        for stage in self.file.dockerfile.stages:
            if stage.name is not None and stage.name.text.lower() in ("scratch", "context"):
                self.report_at(
                    stage.name.start,
                    stage.name.end,
                    f'"{stage.name.text}" is a reserved name; rename the stage',
                )
