"""DC026."""

from __future__ import annotations

from wardround.checks.cases import code
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
    KINDS = DOCKERFILE
    NEEDS = ("MAINTAINER", "maintainer", "Maintainer")
    VALID = [
        code("""
            FROM a:1
            LABEL maintainer="a@example.org"
        """),
        code("""
            FROM a:1
            # MAINTAINER a
        """),
    ]
    INVALID = [
        code(
            """
            FROM a:1
            «MAINTAINER a@example.org»
            """,
            fixed="""
            FROM a:1
            LABEL org.opencontainers.image.authors="a@example.org"
            """,
        ),
        code("""
            FROM a:1
            «maintainer A B <a@example.org>»
        """),
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
