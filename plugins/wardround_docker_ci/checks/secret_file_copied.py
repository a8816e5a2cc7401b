"""DC003."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane
from wardround.late import LatePattern
from wardround_docker_ci.check import DOCKERFILE, CiCheck

_SECRET_FILE = LatePattern(
    r"(?:^|/)(?:\.env(?:\.(?:local|prod|production|staging|secret|secrets))?|id_(?:rsa|dsa|ecdsa|ed25519)"
    r"|\.netrc|\.git-credentials|\.pypirc|\.pgpass|\.aws(?:/credentials)?|\.docker/config\.json|\.ssh|\.htpasswd"
    r"|\.kube/config|kubeconfig[\w.-]*|\.vault[-_]?(?:token|pass)\w*|[\w.-]*\.(?:p12|pfx|jks|keystore)"
    r"|(?:server|tls|ssl|client|signing|deploy|host|domain)[\w.-]*\.key|gcp[-_]?key[\w-]*\.json|service[-_]?account[\w-]*\.json|credentials\.json|[\w.-]*private[\w.-]*\.(?:pem|key))$"
)


class SecretFileCopied(CiCheck):
    """A file that usually holds secrets is copied into the image.

    It stays in its layer even if a later RUN deletes it, and whoever pulls the image has it. Mount it for the
    one step that needs it (`RUN --mount=type=secret`), or give it to the container at run time.
    """

    ID = "DC003"
    NAME = "secret-file-copied"
    PLANE = Plane.SECURITY
    NEEDS = ("COPY", "ADD", "copy", "add")
    TRIED_ON = "trees of 27 repositories: 1 hits; 640 commits of 16 that touch such files: 0"
    KINDS = DOCKERFILE
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("FROM alpine:3.20\nCOPY .env.example .env\n", path="Dockerfile"),
        Valid("FROM alpine:3.20\nCOPY . .\n", path="Dockerfile"),
        Valid(
            "FROM a AS b\nRUN x\nFROM alpine:3.20\nCOPY --from=b /root/.ssh/known_hosts /x\n",
            path="Dockerfile",
        ),
        Valid("FROM alpine:3.20\nCOPY ca.pem /etc/ssl/ca.pem\n", path="Dockerfile"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("FROM alpine:3.20\nCOPY certs/server.key /etc/ssl/\n", line=2, column=6, path="Dockerfile"),
        Invalid("FROM alpine:3.20\nADD .aws /root/.aws\n", line=2, column=5, path="Dockerfile"),
        Invalid("FROM alpine:3.20\nCOPY .env /app/.env\n", line=2, column=6, path="Dockerfile"),
        Invalid(
            "FROM alpine:3.20\nCOPY --chown=a:b app.py keys/id_rsa /app/\n",
            line=2,
            column=25,
            path="Dockerfile",
        ),
        Invalid(
            'FROM alpine:3.20\nADD ["server-private.key", "/etc/"]\n', line=2, column=6, path="Dockerfile"
        ),
    ]

    def run(self) -> None:
        for one in self.file.dockerfile.instructions:
            if one.keyword in ("COPY", "ADD") and one.flag("from") is None:
                for word in one.words[:-1]:
                    if _SECRET_FILE.search(word.text.rstrip("/")):
                        self.report_at(word.start, word.end, f"{word.text} becomes part of the image")
