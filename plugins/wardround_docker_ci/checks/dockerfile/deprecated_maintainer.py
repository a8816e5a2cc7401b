"""DC026."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Severity
from wardround_docker_ci.check import DOCKERFILE, CiCheck


class DeprecatedMaintainer(CiCheck):
    """MAINTAINER is deprecated.

    Docker warns about it, and tools that read image metadata look for a label. Write
    `LABEL org.opencontainers.image.authors="..."`.
    """

    ID = "DC026"
    NAME = "deprecated-maintainer"
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "deprecated-instruction"
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = DOCKERFILE
    NEEDS = ("MAINTAINER", "maintainer", "Maintainer")
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid('FROM a:1\nLABEL maintainer="a@example.org"\n', path="Dockerfile"),
        Valid("FROM a:1\n# MAINTAINER a\n", path="Dockerfile"),
        Valid("FROM a:1\nRUN MAINTAINER=x make\n", path="Dockerfile"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "FROM a:1\nMAINTAINER a@example.org\n",
            line=2,
            column=1,
            path="Dockerfile",
            fixed='FROM a:1\nLABEL org.opencontainers.image.authors="a@example.org"\n',
        ),
        Invalid("FROM a:1\nmaintainer A B <a@example.org>\n", line=2, column=1, path="Dockerfile"),
        Invalid("MAINTAINER x\nFROM a:1\n", line=1, column=1, path="Dockerfile"),
    ]

    def run(self) -> None:
        for one in self.file.dockerfile.instructions:
            if one.keyword == "MAINTAINER":
                label = f'LABEL org.opencontainers.image.authors="{one.text.strip(chr(34))}"'
                is_plain = '"' not in one.text.strip('"') and "\\" not in one.text and "$" not in one.text
                fix = (
                    self.replacing(one.start, one.end, label, "use a label", safe=False) if is_plain else None
                )
                self.report_at(one.start, one.end, "MAINTAINER is deprecated; use a label", fix)
