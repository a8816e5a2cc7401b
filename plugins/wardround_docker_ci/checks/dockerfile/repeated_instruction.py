"""DC018."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround_docker_ci.check import DOCKERFILE, CiCheck


class RepeatedInstruction(CiCheck):
    """A stage has the same CMD, ENTRYPOINT or HEALTHCHECK twice, and only the last one counts.

    Whoever edits the first wonders why nothing happens. Keep the one that is meant.
    """

    ID = "DC018"
    NAME = "repeated-instruction"
    DEFECT_CLASS = "repeated-instruction"
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = DOCKERFILE
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid('FROM a:1\nENTRYPOINT ["a"]\nCMD ["b"]\n', path="Dockerfile"),
        Valid('FROM a:1 AS x\nCMD ["a"]\nFROM x\nCMD ["b"]\n', path="Dockerfile"),
        Valid("FROM a:1\nHEALTHCHECK CMD x\n", path="Dockerfile"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid('FROM a:1\nCMD ["a"]\nCMD ["b"]\n', line=2, column=1, path="Dockerfile"),
        Invalid('FROM a:1\nENTRYPOINT ["a"]\nRUN x\nENTRYPOINT ["b"]\n', line=2, column=1, path="Dockerfile"),
        Invalid("FROM a:1\nHEALTHCHECK CMD x\nHEALTHCHECK NONE\n", line=2, column=1, path="Dockerfile"),
    ]

    def run(self) -> None:
        for stage in self.file.dockerfile.stages:
            for keyword in ("CMD", "ENTRYPOINT", "HEALTHCHECK"):
                for one in stage.all(keyword)[:-1]:
                    last = self.file.places.line(stage.all(keyword)[-1].start)
                    self.report_at(
                        one.start, one.end, f"this {keyword} never counts: line {last} replaces it"
                    )
