"""DC045: unknown stage."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround.languages.dockerfile import DockerfileToken
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import DOCKERFILE, CiCheck

_ROLE = LazyPattern(
    r"(?:[a-z0-9]+[-_])?(?:build(?:er)?|compile[rd]?|deps|dependencies|install(?:er)?|prepare|assets|bundle[rd]?|packager?"
    r"|publish(?:er)?|release|runtime|production|prod|test(?:s|er)?|lint|downloader|fetch(?:er)?|planner"
    r"|frontend|backend|base)(?:[-_][a-z0-9]+)?$"
)
"""Common names of stages that are not names of images."""


class UnknownStage(CiCheck):
    """`--from` has the name of a stage, but no stage before it has that name.

    Docker then resolves it as an image and tries to pull it. Name a stage defined before this line.
    """

    ID = "DC045"
    NAME = "unknown-stage"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "unknown-stage"
    KINDS = DOCKERFILE
    NEEDS = ("--from", "from=")
    VALID = [
        code("""
            FROM a:1 AS build
            FROM b:1
            COPY --from=build /a /b
        """),
        code("""
            FROM a:1
            FROM b:1
            COPY --from=0 /a /b
        """),
    ]
    INVALID = [
        code("""
            FROM a:1 AS compile
            FROM b:1
            COPY --from=«builder» /a /b
        """),
        code("""
            FROM a:1 AS x
            FROM b:1
            COPY --from=«frontend-build» /a /b
        """),
    ]

    def run(self) -> None:
        file = self.file.dockerfile
        names = [stage.name.text.lower() for stage in file.stages if stage.name is not None]
        for stage in file.stages:
            for instruction in stage.all("COPY", "ADD"):
                flag = instruction.flag("from")
                if flag is not None and "$" not in flag.text and not file.stage_named(flag.text, stage.index):
                    self._check(flag, names)

    def _check(self, flag: DockerfileToken, names: Sequence[str]) -> None:
        name = flag.text.lower()
        if name in names or name.isdigit():
            self.report_at(flag.start, flag.end, f"stage {flag.text} is not defined before this line")
        elif names and _ROLE.match(name):
            message = f"stage {flag.text} is not defined; the stages are {', '.join(names[:4])}"
            self.report_at(flag.start, flag.end, message, severity=Severity.WARN)
        elif not re.search(r"[:/@]", flag.text) and (near := _near(name, names)):
            message = f"stage {flag.text} is not defined; did you mean {near[0]}?"
            self.report_at(flag.start, flag.end, message)


def _near(name: str, names: Sequence[str]) -> list[str]:
    return difflib.get_close_matches(name, names, n=1, cutoff=0.8)
