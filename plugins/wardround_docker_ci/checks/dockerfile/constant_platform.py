"""DC028."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Severity
from wardround_docker_ci.check import DOCKERFILE, CiCheck


class ConstantPlatform(CiCheck):
    """FROM asks for one fixed platform, so the image is that platform's wherever it is built.

    A build for another architecture then ships the wrong binaries without a word. Leave the flag out, use
    `$BUILDPLATFORM`, or name the platform in the stage's name where it is meant.
    """

    ID = "DC028"
    NAME = "constant-platform"
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "constant-platform"
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = DOCKERFILE
    NEEDS = ("--platform",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("FROM --platform=$BUILDPLATFORM a:1\n", path="Dockerfile"),
        Valid("FROM --platform=linux/amd64 a:1 AS build-amd64\nFROM b:1\n", path="Dockerfile"),
        Valid("FROM --platform=windows/amd64 a:1 AS windows\n", path="Dockerfile"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("FROM --platform=linux/amd64 a:1\n", line=1, column=17, path="Dockerfile"),
        Invalid("FROM --platform=linux/arm64 a:1 AS build\n", line=1, column=17, path="Dockerfile"),
        Invalid("FROM a:1\nFROM --platform=linux/arm/v7 b:1\n", line=2, column=17, path="Dockerfile"),
    ]

    def run(self) -> None:
        for stage in self.file.dockerfile.stages:
            flag = stage.start.flag("platform")
            if flag is None or "$" in flag.text or not flag.text:
                continue
            name = stage.name.text.lower() if stage.name else ""
            if not any(part in name for part in flag.text.lower().split("/")):
                self.report_at(flag.start, flag.end, f"the image is {flag.text} wherever it is built")
