"""DC021."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Severity
from wardround.languages.dockerfile import DockerfileToken, variables
from wardround_docker_ci.check import DOCKERFILE, CiCheck
from wardround_docker_ci.libraries.predefined_args import PLATFORM_ARGUMENTS


class UndefinedFromArgument(CiCheck):
    """FROM uses an argument that nothing before the first FROM declares.

    It is empty whatever is passed to the build, so the build fails or starts from another image. Declare it
    with ARG above the first FROM; an ARG inside a stage does not reach FROM.
    """

    ID = "DC021"
    NAME = "undefined-from-argument"
    SEVERITY = Severity.ERROR
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = DOCKERFILE
    NEEDS = ("$",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("ARG V=3\nFROM alpine:$V\n", path="Dockerfile"),
        Valid("FROM --platform=$BUILDPLATFORM alpine:3\n", path="Dockerfile"),
        Valid("FROM alpine:${V:-3}\n", path="Dockerfile"),
        Valid("ARG V\nFROM alpine:${V}\n", path="Dockerfile"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("FROM alpine:$V\n", line=1, column=13, path="Dockerfile"),
        Invalid("FROM a:1\nARG V=3\nFROM alpine:${V} AS x\n", line=3, column=13, path="Dockerfile"),
        Invalid("FROM --platform=$BUILDPLATFROM a:1\n", line=1, column=17, path="Dockerfile"),
    ]

    def run(self) -> None:
        file = self.file.dockerfile
        known = {*file.global_arguments, *PLATFORM_ARGUMENTS}
        for stage in file.stages:
            for token in (stage.base, stage.start.flag("platform")):
                self._look(token, known)

    def _look(self, token: DockerfileToken | None, known: set[str]) -> None:
        for name, sign, place in variables(token) if token else ():
            if name not in known and sign not in (":-", "-", ":+", "+"):
                self.report_at(
                    place.start, place.end, f"no ARG above the first FROM declares {name}: it is empty"
                )
