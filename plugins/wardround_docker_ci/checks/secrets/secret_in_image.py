from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.languages.dockerfile import KeyValuePair
from wardround.rules.cases import code
from wardround.text.secret_names import is_secret_name
from wardround_docker_ci.analysis.secret_values import is_real_secret, is_setting
from wardround_docker_ci.check import DOCKERFILE, CiCheck


class SecretInImage(CiCheck):
    """ARG or ENV passes a secret, which stays readable in the image.

    Anyone who can pull the image can read its environment with `docker inspect` and its build arguments
    with `docker history`, even if a later layer unsets them. Pass the value to build steps with `RUN
    --mount=type=secret,id=...`, and to containers at run time.
    """

    ID = "DC001"
    NAME = "secret-in-image"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "secret-in-image"
    MASKED = True
    NEEDS = ("ARG", "ENV", "arg", "env")
    KINDS = DOCKERFILE
    VALID = [
        code("""
            FROM alpine:3.20
            ENV TOKEN_URL=https://example.org/token
        """),
        code("""
            FROM alpine:3.20
            ENV DB_PASSWORD_FILE=/run/secrets/db
        """),
    ]
    INVALID = [
        code("""
            FROM node:22
            ARG «NPM_TOKEN»
            RUN npm ci
        """),
        code(r"""
            FROM node:22
            ENV APP=web \
                «DB_PASSWORD»=hunter2
        """),
    ]

    def run(self) -> None:
        for instruction in self.file.dockerfile.instructions:
            if instruction.keyword in ("ARG", "ENV"):
                for pair in instruction.pairs:
                    self._check(pair, instruction.keyword)

    def _check(self, pair: KeyValuePair, keyword: str) -> None:
        value = pair.value.text if pair.value else ""
        # DC039 reports a secret in plain text.
        if is_setting(value) or is_real_secret(value) or not is_secret_name(pair.name.text):
            return
        is_empty = keyword == "ENV" and not value
        message = f"{pair.name.text} stays in the image through {keyword}; mount it as a build secret"
        severity = Severity.INFO if is_empty else None
        self.report_at(pair.name.start, pair.name.end, message, severity=severity)
