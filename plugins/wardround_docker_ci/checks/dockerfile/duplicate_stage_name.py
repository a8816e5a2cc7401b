"""DC019."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround_docker_ci.check import DOCKERFILE, CiCheck


class DuplicateStageName(CiCheck):
    """Two stages have the same name.

    Later references mean only one of them, and which one is easily guessed wrong. Give each its own name.
    """

    ID = "DC019"
    NAME = "duplicate-stage-name"
    DEFECT_CLASS = "duplicate-stage-name"
    NEEDS = (" AS ", " as ", " As ", " aS ")
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = DOCKERFILE
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("FROM a:1 AS x\nFROM b:1 AS y\n", path="Dockerfile"),
        Valid("FROM a:1\nFROM b:1\n", path="Dockerfile"),
        Valid("FROM a:1 AS x\nFROM x AS y\n", path="Dockerfile"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("FROM a:1 AS x\nFROM b:1 AS x\n", line=2, column=13, path="Dockerfile"),
        Invalid(
            "FROM a:1 AS build\nFROM b:1 AS y\nFROM c:1 as BUILD\n", line=3, column=13, path="Dockerfile"
        ),
        Invalid("FROM a:1 AS x\nFROM x AS x\n", line=2, column=11, path="Dockerfile"),
    ]

    def run(self) -> None:
        seen: dict[str, int] = {}
        for stage in self.file.dockerfile.stages:
            if stage.name is None:
                continue
            name = stage.name.text.lower()
            if name in seen:
                self.report_at(
                    stage.name.start, stage.name.end, f'line {seen[name]} has a stage "{name}" already'
                )
            seen.setdefault(name, self.file.places.line(stage.name.start))
