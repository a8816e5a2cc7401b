"""DC043."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Severity
from wardround_docker_ci.check import DOCKERFILE, CiCheck


class StageNameCasing(CiCheck):
    """A stage's name has capitals, which Docker does not tell from small letters.

    Two names that look different are then one. Write stage names in small letters.
    """

    ID = "DC043"
    NAME = "stage-name-casing"
    SEVERITY = Severity.INFO
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = DOCKERFILE
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("FROM a:1 AS build\n", path="Dockerfile"),
        Valid("FROM a:1\n", path="Dockerfile"),
        Valid("FROM Build:1 AS b\n", path="Dockerfile"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("FROM a:1 AS Build\n", line=1, column=13, path="Dockerfile"),
        Invalid("FROM a:1 AS buildBase\nFROM buildBase\n", line=1, column=13, path="Dockerfile"),
        Invalid("FROM a:1 as BASE\n", line=1, column=13, path="Dockerfile"),
    ]

    def run(self) -> None:
        for stage in self.file.dockerfile.stages:
            if (
                stage.name is not None
                and stage.name.text != stage.name.text.lower()
                and "$" not in stage.name.text
            ):
                self.report_at(
                    stage.name.start, stage.name.end, f'write the stage\'s name "{stage.name.text.lower()}"'
                )
