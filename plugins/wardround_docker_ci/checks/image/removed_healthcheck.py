"""DC221."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.languages import dockerfile
from wardround_docker_ci.check import DOCKERFILE, CiCheck


class RemovedHealthcheck(CiCheck):
    """The image said how to tell whether its service works, and the change takes that away.

    What waits for it to be healthy then waits in vain or not at all, and a hanging process stays. Keep a
    HEALTHCHECK, or say with `HEALTHCHECK NONE` that it is meant.
    """

    ID = "DC221"
    NAME = "removed-healthcheck"
    DEFECT_CLASS = "no-healthcheck"
    TRIED_ON = "6107 changed files in the commits of 27 repositories: no hit"
    KINDS = DOCKERFILE
    NEEDS = ("CMD", "cmd", "ENTRYPOINT", "entrypoint")
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid('FROM a:1\nCMD ["a"]\n', path="Dockerfile", base='FROM a:1\nCMD ["b"]\n'),
        Valid('FROM a:1\nCMD ["a"]\n', path="Dockerfile"),
        Valid(
            'FROM a:1\nHEALTHCHECK NONE\nCMD ["a"]\n',
            path="Dockerfile",
            base='FROM a:1\nHEALTHCHECK CMD x\nCMD ["a"]\n',
        ),
        Valid(
            'FROM a:1\nHEALTHCHECK CMD y\nCMD ["a"]\n',
            path="Dockerfile",
            base='FROM a:1\nHEALTHCHECK CMD x\nCMD ["a"]\n',
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            'FROM a:1\nCMD ["a"]\n',
            line=2,
            column=1,
            path="Dockerfile",
            base='FROM a:1\nHEALTHCHECK CMD x\nCMD ["a"]\n',
        ),
        Invalid(
            'FROM a:2\nUSER x\nENTRYPOINT ["a"]\n',
            line=3,
            column=1,
            path="Dockerfile",
            base='FROM a:1\nENTRYPOINT ["a"]\nhealthcheck --interval=5s CMD x\n',
        ),
        Invalid(
            'FROM b:1 AS c\nHEALTHCHECK CMD z\nFROM a:1\nCMD ["a"]\n',
            line=4,
            column=1,
            path="Dockerfile",
            base='FROM b:1 AS c\nFROM a:1\nHEALTHCHECK CMD x\nCMD ["a"]\n',
        ),
    ]

    def run(self) -> None:
        base = self.source.base_text
        if base is None or "healthcheck" not in base.lower():
            return
        shipped = self.file.dockerfile.shipped
        programs = [one for stage in shipped[:1] for one in stage.all("CMD", "ENTRYPOINT")]
        before = [one for stage in dockerfile.read(base).shipped for one in stage.all("HEALTHCHECK")]
        asked = any(one.text.upper() != "NONE" for one in before)
        if programs and asked and not any(stage.all("HEALTHCHECK") for stage in shipped):
            said = "before the change this image had a HEALTHCHECK"
            self.report_at(programs[-1].start, programs[-1].written.end, said)
