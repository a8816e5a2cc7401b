from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.languages.shell import Command, unwrap_command
from wardround.languages.yaml.nodes import Scalar
from wardround.languages.yaml.tree import walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import SCRIPTS, CiCheck
from wardround_docker_ci.file_kinds import FileKind
from wardround_docker_ci.libraries.commands import program

_PLAIN_PORT = LazyPattern(r"tcp://[^\s\"',]*:2375\b")
_LOCAL = LazyPattern(r"tcp://(?:localhost|127\.0\.0\.1|\[?::1\]?):")
_ANYWHERE = LazyPattern(r"tcp://(?:0\.0\.0\.0|\[?::\]?)?:2375\b")


class DockerWithoutTls(CiCheck):
    """Docker is exposed or used over TCP without TLS.

    Anyone else who can reach that port, including other jobs on the same network, can start privileged
    containers and become root on the machine. Use port 2376 with certificates, a socket, or a builder that
    needs no daemon.
    """

    ID = "DC049"
    NAME = "docker-without-tls"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "docker-without-tls"
    KINDS = SCRIPTS
    NEEDS = (":2375", "DOCKER_TLS_CERTDIR")
    CASE_PATH = "a.sh"
    VALID = [
        code(
            """
            a:
              variables:
                DOCKER_HOST: tcp://docker:2376
              script: b
            """,
            path=".gitlab-ci.yml",
        ),
        code("""
            export DOCKER_HOST=tcp://localhost:2375
        """),
    ]
    INVALID = [
        code(
            """
            variables:
              DOCKER_TLS_CERTDIR: '«»'
            a:
              services: [docker:27-dind]
            """,
            path=".gitlab-ci.yml",
        ),
        code(
            """
            a:
              variables:
                DOCKER_HOST: «tcp://docker:2375»
              script: b
            """,
            path=".gitlab-ci.yml",
        ),
    ]

    def run(self) -> None:
        for variable in self.file.variables:
            if variable.name == "DOCKER_HOST":
                self._check(variable.value, variable.start, variable.end)
            if variable.name == "DOCKER_TLS_CERTDIR" and not variable.value and "2375" not in self.file.text:
                message = "an empty DOCKER_TLS_CERTDIR disables TLS; set a certificate directory"
                self.report_at(variable.start, variable.end, message)
        for script in self.file.scripts:
            for command in script.commands:
                self._command(command)
        if self.file.kind in (FileKind.COMPOSE, FileKind.KUBERNETES, FileKind.GITLAB_CI):
            self._arguments()

    def _command(self, command: Command) -> None:
        listens = program(command) in ("docker", "dockerd", "dockerd-entrypoint.sh")
        sets = command.name in ("export", "declare")
        for word in (*command.assignments, *(unwrap_command(command)[1:] if listens or sets else ())):
            if listens or word.text.startswith("DOCKER_HOST="):
                self._check(word.text, word.start, word.end)

    def _arguments(self) -> None:
        """Check the daemon's arguments in the lists of ``command`` and ``args``."""
        for document in self.file.documents:
            for node in walk(document):
                if isinstance(node, Scalar) and _ANYWHERE.search(node.value) and len(node.value.split()) == 1:
                    text = self.file.passage(node)
                    self._check(node.value, text.start, text.end)

    def _check(self, value: str, start: int, end: int) -> None:
        if _PLAIN_PORT.search(value) and not _LOCAL.search(value):
            severity = Severity.WARN if _ANYWHERE.search(value) else None
            self.report_at(
                start,
                end,
                "port 2375 is the Docker API without TLS; use 2376 with certificates",
                severity=severity,
            )
