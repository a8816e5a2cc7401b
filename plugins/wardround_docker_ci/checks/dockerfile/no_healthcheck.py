"""DC017."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Severity
from wardround_docker_ci.check import DOCKERFILE, CiCheck


class NoHealthcheck(CiCheck):
    """The image does not say how to tell whether its service works.

    Docker and compose then count a hanging process as healthy. Add a HEALTHCHECK, or check from outside.
    """

    ID = "DC017"
    NAME = "no-healthcheck"
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "no-healthcheck"
    OFF = "Kubernetes ignores HEALTHCHECK and most images run there or are no services."
    TRIED_ON = "trees of 27 repositories: 35 hits; 640 commits of 16 that touch such files: 0"
    KINDS = DOCKERFILE
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid('FROM a:1\nEXPOSE 80\nHEALTHCHECK CMD ["x"]\nCMD ["a"]\n', path="Dockerfile"),
        Valid('FROM a:1\nCMD ["a"]\n', path="Dockerfile"),
        Valid("FROM a:1\nEXPOSE 80\n", path="Dockerfile"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid('FROM a:1\nEXPOSE 80\nCMD ["a"]\n', line=3, column=1, path="Dockerfile"),
        Invalid("FROM a:1\nEXPOSE 80\nENTRYPOINT a\n", line=3, column=1, path="Dockerfile"),
        Invalid(
            'FROM a:1 AS b\nHEALTHCHECK CMD x\nFROM c:1\nEXPOSE 1\nCMD ["a"]\n',
            line=5,
            column=1,
            path="Dockerfile",
        ),
    ]

    def run(self) -> None:
        shipped = self.file.dockerfile.shipped
        programs = [one for stage in shipped[:1] for one in stage.all("CMD", "ENTRYPOINT")]
        serves = any(stage.all("EXPOSE") for stage in shipped)
        if programs and serves and not any(stage.all("HEALTHCHECK") for stage in shipped):
            self.report_at(programs[-1].start, programs[-1].written.end, "a service without a HEALTHCHECK")
