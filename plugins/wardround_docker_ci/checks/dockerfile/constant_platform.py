"""DC028: constant platform."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Severity
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import DOCKERFILE, CiCheck


class ConstantPlatform(CiCheck):
    """FROM has a constant `--platform`, so the image has that platform on every host.

    A build for another architecture then silently contains the wrong binaries. Remove the flag, use
    `$BUILDPLATFORM`, or put the platform into the stage's name if it is intended.
    """

    ID = "DC028"
    NAME = "constant-platform"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "constant-platform"
    KINDS = DOCKERFILE
    NEEDS = ("--platform",)
    VALID = [
        code("""
            FROM --platform=$BUILDPLATFORM a:1
        """),
        code("""
            FROM --platform=linux/amd64 a:1 AS build-amd64
            FROM b:1
        """),
    ]
    INVALID = [
        code("""
            FROM --platform=«linux/amd64» a:1
        """),
        code("""
            FROM --platform=«linux/arm64» a:1 AS build
        """),
    ]

    def run(self) -> None:
        for stage in self.file.dockerfile.stages:
            flag = stage.start.flag("platform")
            if flag is None or "$" in flag.text or not flag.text:
                continue
            name = stage.name.text.lower() if stage.name else ""
            if not any(part in name for part in flag.text.lower().split("/")):
                self.report_at(
                    flag.start,
                    flag.end,
                    f"the image is {flag.text} on every host; remove --platform or use $BUILDPLATFORM",
                )
