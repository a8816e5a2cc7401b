"""DC001: secret in image."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
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
        for one in self.file.dockerfile.instructions:
            if one.keyword not in ("ARG", "ENV"):
                continue
            for pair in one.pairs:
                value = pair.value.text if pair.value else None
                # DC039 reports a secret in plain text.
                if is_setting(value or ""):
                    continue
                if is_secret_name(pair.name.text) and not is_real_secret(value or ""):
                    is_empty = one.keyword == "ENV" and not value
                    self.report_at(
                        pair.name.start,
                        pair.name.end,
                        f"{pair.name.text} stays in the image through {one.keyword}; mount it as a build "
                        f"secret",
                        severity=Severity.INFO if is_empty else None,
                    )
