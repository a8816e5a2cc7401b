"""DC021: undefined from argument."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Severity
from wardround.languages.dockerfile import DockerfileToken, variables
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import DOCKERFILE, CiCheck
from wardround_docker_ci.libraries.predefined_args import PLATFORM_ARGUMENTS


class UndefinedFromArgument(CiCheck):
    """FROM uses an argument that no ARG before the first FROM declares.

    It is empty even with a --build-arg, so the build fails or uses another image. Declare it with ARG
    before the first FROM; an ARG inside a stage is not visible to FROM.
    """

    ID = "DC021"
    NAME = "undefined-from-argument"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.ERROR
    KINDS = DOCKERFILE
    NEEDS = ("$",)
    VALID = [
        code("""
            ARG V=3
            FROM alpine:$V
        """),
        code("""
            FROM --platform=$BUILDPLATFORM alpine:3
        """),
    ]
    INVALID = [
        code("""
            FROM alpine:«$V»
        """),
        code("""
            FROM a:1
            ARG V=3
            FROM alpine:«${V}» AS x
        """),
    ]

    def run(self) -> None:
        file = self.file.dockerfile
        known = {*file.global_arguments, *PLATFORM_ARGUMENTS}
        for stage in file.stages:
            for token in (stage.base, stage.start.flag("platform")):
                self._check(token, known)

    def _check(self, token: DockerfileToken | None, known: set[str]) -> None:
        for name, sign, place in variables(token) if token else ():
            if name not in known and sign not in (":-", "-", ":+", "+"):
                self.report_at(
                    place.start,
                    place.end,
                    f"no ARG before the first FROM declares {name}, so it is empty; declare it there",
                )
