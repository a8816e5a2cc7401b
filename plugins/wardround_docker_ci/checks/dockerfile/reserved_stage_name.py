"""DC020."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround_docker_ci.check import DOCKERFILE, CiCheck


class ReservedStageName(CiCheck):
    """A stage has a name that means something else to Docker.

    `scratch` is the empty image and `context` the files the build is given, so a reference to the stage does
    not reach it. Call it something else.
    """

    ID = "DC020"
    NAME = "reserved-stage-name"
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = DOCKERFILE
    NEEDS = ("scratch", "context", "SCRATCH", "CONTEXT", "Scratch", "Context")
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("FROM scratch AS out\n", path="Dockerfile"),
        Valid("FROM a:1 AS build-context\n", path="Dockerfile"),
        Valid("FROM a:1\nCOPY context /x\n", path="Dockerfile"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("FROM a:1 AS scratch\n", line=1, column=13, path="Dockerfile"),
        Invalid("FROM a:1 AS context\nFROM b:1\n", line=1, column=13, path="Dockerfile"),
        Invalid("FROM a:1 as Scratch\n", line=1, column=13, path="Dockerfile"),
    ]

    def run(self) -> None:
        for stage in self.file.dockerfile.stages:
            if stage.name is not None and stage.name.text.lower() in ("scratch", "context"):
                self.report_at(
                    stage.name.start,
                    stage.name.end,
                    f'"{stage.name.text}" is reserved and cannot name a stage',
                )
