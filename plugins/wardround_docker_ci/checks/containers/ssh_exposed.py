"""DC126: ssh exposed."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.languages.yaml.nodes import Mapping, Scalar
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import COMPOSE, DOCKERFILE, CiCheck
from wardround_docker_ci.file_kinds import FileKind

_LOGINS = {"22": "ssh", "23": "telnet", "3389": "remote desktop", "5900": "VNC"}
_LOCAL = LazyPattern(r"\"?'?(?:127\.|\[?::1|localhost)")
_SHARES_GIT = LazyPattern(r"git(?:ea|lab|olite|-server)|forgejo|gogs|sftp|ssh|bastion|jump|soft-serve")


class SshExposed(CiCheck):
    """A container accepts remote logins over the network.

    Anyone with a key or a guessed password gets a shell that the orchestrator neither logs nor limits, and
    the login server is one more program to patch. Use `docker exec` or `kubectl exec`.
    """

    ID = "DC126"
    NAME = "ssh-exposed"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    KINDS = DOCKERFILE | COMPOSE
    NEEDS = ("22", "23", "3389", "5900")
    CASE_PATH = "compose.yml"
    VALID = [
        code(
            """
            FROM a:1
            EXPOSE 2222 8022 80/tcp 22/udp
            """,
            path="Dockerfile",
        ),
        code(
            """
            FROM gitea/gitea:1.22
            EXPOSE 22 3000
            """,
            path="Dockerfile",
        ),
    ]
    INVALID = [
        code(
            """
            FROM a:1
            EXPOSE 80 «22/tcp»
            """,
            path="Dockerfile",
        ),
        code(
            """
            FROM a:1
            EXPOSE «23»
            """,
            path="Dockerfile",
        ),
    ]

    def run(self) -> None:
        if self.file.kind is FileKind.COMPOSE:
            for service in self.file.services:
                if not _SHARES_GIT.search(f"{service.name} {service.node.text('image')}"):
                    self._published(service.node)
            return
        if _SHARES_GIT.search(" ".join(stage.base.text for stage in self.file.dockerfile.stages)):
            return
        for one in self.file.dockerfile.instructions:
            for word in one.words if one.keyword == "EXPOSE" else ():
                self._check(word.text, word.start, word.end)

    def _published(self, service: Mapping) -> None:
        for port in service.listed("ports"):
            scalar = port.scalar("target") if isinstance(port, Mapping) else port
            if not isinstance(scalar, Scalar) or _LOCAL.match(scalar.value):
                continue
            text = self.file.passage(scalar)
            self._check(scalar.value.rpartition(":")[2], text.start, text.end)

    def _check(self, port: str, start: int, end: int) -> None:
        login = _LOGINS.get(port.removesuffix("/tcp"))
        if login is not None:
            self.report_at(
                start, end, f"port of {login} allows logins to the container; use docker exec or kubectl exec"
            )
