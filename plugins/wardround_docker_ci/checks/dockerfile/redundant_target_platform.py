"""DC029."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Severity
from wardround_docker_ci.check import DOCKERFILE, CiCheck


class RedundantTargetPlatform(CiCheck):
    """`--platform=$TARGETPLATFORM` asks for what FROM does anyway.

    It only makes readers look for a reason. Delete the flag.
    """

    ID = "DC029"
    NAME = "redundant-target-platform"
    DEFECT_CLASS = "redundant-platform"
    SEVERITY = Severity.INFO
    KINDS = DOCKERFILE
    NEEDS = ("TARGETPLATFORM",)
    VALID = [
        code("""
            FROM --platform=$BUILDPLATFORM a:1
        """),
        code("""
            FROM a:1
            ARG TARGETPLATFORM
        """),
    ]
    INVALID = [
        code(
            """
            FROM --platform=«$TARGETPLATFORM» a:1
            """,
            fixed="""
            FROM a:1
            """,
        ),
        code("""
            FROM --platform=«${TARGETPLATFORM}» a:1 AS b
        """),
    ]

    def run(self) -> None:
        for stage in self.file.dockerfile.stages:
            flag = stage.start.flag("platform")
            if flag is not None and flag.text in ("$TARGETPLATFORM", "${TARGETPLATFORM}"):
                start = flag.start - len("--platform=")
                fix = self.replacing(start - 1, flag.end, "", "delete the flag", safe=True)
                self.report_at(flag.start, flag.end, "FROM takes the target platform anyway", fix)
