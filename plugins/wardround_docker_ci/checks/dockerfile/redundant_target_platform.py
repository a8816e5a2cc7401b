"""DC029."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
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
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = DOCKERFILE
    NEEDS = ("TARGETPLATFORM",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("FROM --platform=$BUILDPLATFORM a:1\n", path="Dockerfile"),
        Valid("FROM a:1\nARG TARGETPLATFORM\n", path="Dockerfile"),
        Valid("FROM --platform=${TARGETPLATFORM:-linux/amd64} a:1\n", path="Dockerfile"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "FROM --platform=$TARGETPLATFORM a:1\n", line=1, column=17, path="Dockerfile", fixed="FROM a:1\n"
        ),
        Invalid("FROM --platform=${TARGETPLATFORM} a:1 AS b\n", line=1, column=17, path="Dockerfile"),
        Invalid("FROM a:1\nFROM  --platform=$TARGETPLATFORM b:1\n", line=2, column=18, path="Dockerfile"),
    ]

    def run(self) -> None:
        for stage in self.file.dockerfile.stages:
            flag = stage.start.flag("platform")
            if flag is not None and flag.text in ("$TARGETPLATFORM", "${TARGETPLATFORM}"):
                start = flag.start - len("--platform=")
                fix = self.replacing(start - 1, flag.end, "", "delete the flag", safe=True)
                self.report_at(flag.start, flag.end, "FROM takes the target platform anyway", fix)
