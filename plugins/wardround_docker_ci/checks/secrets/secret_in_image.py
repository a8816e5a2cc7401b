"""DC001."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_docker_ci.analysis.secret_names import is_real_secret, is_secret_name
from wardround_docker_ci.check import DOCKERFILE, CiCheck


class SecretInImage(CiCheck):
    """A secret goes through ARG or ENV and stays readable in the image.

    Everybody who can pull the image reads its environment with `docker inspect` and its build arguments with
    `docker history`, whatever a later layer unsets. Give build steps the value with
    `RUN --mount=type=secret,id=...`, and containers at run time.
    """

    ID = "DC001"
    NAME = "secret-in-image"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "secret-in-image"
    MASKED = True
    NEEDS = ("ARG", "ENV", "arg", "env")
    TRIED_ON = "trees of 27 repositories: 8 hits; 640 commits of 16 that touch such files: 0"
    KINDS = DOCKERFILE
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("FROM alpine:3.20\nENV TOKEN_URL=https://example.org/token\n", path="Dockerfile"),
        Valid("FROM alpine:3.20\nENV DB_PASSWORD_FILE=/run/secrets/db\n", path="Dockerfile"),
        Valid("FROM alpine:3.20\nARG MAX_TOKENS=100\nENV TOKENIZERS_PARALLELISM=false\n", path="Dockerfile"),
        Valid("FROM alpine:3.20\nENV STRIPE_PUBLIC_API_KEY=pk_1\n", path="Dockerfile"),
        Valid("FROM alpine:3.20\nRUN --mount=type=secret,id=NPM_TOKEN npm ci\n", path="Dockerfile"),
        Valid("FROM alpine:3.20\nENV API_TOKEN=gk7Rt2Qw9zLp\n", path="Dockerfile"),
        Valid("FROM alpine:3.20\nENV GPG_KEY=E3FF2839C048B25C084DEBE9B26995E310250568\n", path="Dockerfile"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("FROM node:22\nARG NPM_TOKEN\nRUN npm ci\n", line=2, column=5, path="Dockerfile"),
        Invalid(
            "FROM node:22\nENV APP=web \\\n    DB_PASSWORD=hunter2\n", line=3, column=5, path="Dockerfile"
        ),
        Invalid("FROM node:22\nENV AWS_SECRET_ACCESS_KEY abc\n", line=2, column=5, path="app.Dockerfile"),
        Invalid("FROM node:22\nARG sshPrivateKey=none\n", line=2, column=5, path="Dockerfile"),
    ]

    def run(self) -> None:
        for one in self.file.dockerfile.instructions:
            if one.keyword not in ("ARG", "ENV"):
                continue
            for pair in one.pairs:
                value = pair.value.text if pair.value else None
                # Of a secret that stands here in clear DC039 says the worse thing.
                if is_secret_name(pair.name.text) and not is_real_secret(value or ""):
                    is_empty = one.keyword == "ENV" and not value
                    self.report_at(
                        pair.name.start,
                        pair.name.end,
                        f"{pair.name.text} reaches the image through {one.keyword}; mount it as a build "
                        f"secret",
                        severity=Severity.INFO if is_empty else None,
                    )
