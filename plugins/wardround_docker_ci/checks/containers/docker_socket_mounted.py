"""DC071."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_docker_ci.check import COMPOSE, JENKINS, KUBERNETES, TEMPLATE, WORKFLOW, CiCheck
from wardround_docker_ci.file_kinds import FileKind

_SOCKET = LazyPattern(
    r"(?:/var)?/run/(?:docker|containerd/containerd|crio/crio|podman/podman)\.sock$|^\\\\\.\\pipe\\docker"
)
_BUILT_FOR_IT = LazyPattern(
    r"traefik|portainer|watchtower|docker-?gen|nginx-proxy|acme-companion|letsencrypt|socket-?proxy|cadvisor|dozzle"
    r"|vector|promtail|fluent|datadog|telegraf|netdata|runner|jenkins|drone|woodpecker|ouroboros|diun|autoheal|ofelia"
    r"|alloy|localstack|testcontainers|ryuk|swarm|lazydocker|glances|beszel|homepage|loki|agent|docker",
    re.IGNORECASE,
)
"""What exists to speak with the engine."""
_PROXY = LazyPattern(r"socket-?proxy|\bdind\b|docker-in-docker|\bdocker:", re.IGNORECASE)
_GUARDED = LazyPattern(r":[^\s\"':]+:(?:\w+,)*ro\b|[\"']?\s+target:[^\n]*\s+read_only:\s*true")
"""The author thought of it, though a program that can read the socket can still write requests."""


class DockerSocketMounted(CiCheck):
    """A container gets the socket of the container engine.

    Whoever controls the container then controls the host: it starts a second one with every right. Build
    without the engine (rootless BuildKit, Kaniko, buildah), or put a proxy in front that allows what is
    needed.
    """

    ID = "DC071"
    NAME = "docker-socket-mounted"
    PLANE = Plane.SECURITY
    TRIED_ON = (
        "trees of 27 repositories: 12 hits; 640 commits of 16 that touch such files: 4; defaults and "
        "docker run of Jenkins, in 27: none more"
    )
    KINDS = COMPOSE | KUBERNETES | JENKINS | WORKFLOW | TEMPLATE
    NEEDS = (".sock", "docker_engine")
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "services:\n  a:\n    image: a:1\n    volumes:\n      - /run/x.sock:/run/x.sock\n",
            path="compose.yml",
        ),
        Valid(
            "services:\n  a:\n    image: a:1\n    volumes:\n      - ./run/docker.sock\n", path="compose.yml"
        ),
        Valid(
            "services:\n  proxy:\n    image: traefik:v3\n    volumes:\n"
            "      - /var/run/docker.sock:/var/run/docker.sock:ro\n",
            path="compose.yml",
        ),
        Valid("node { sh 'ls -l /var/run/docker.sock' }\n", path="Jenkinsfile"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "services:\n  a:\n    image: a:1\n    volumes:\n"
            '      - "/var/run/docker.sock:/var/run/docker.sock"\n',
            line=5,
            column=10,
            path="compose.yml",
        ),
        Invalid(
            "services:\n  proxy:\n    image: traefik:v3\n    volumes:\n"
            "      - /var/run/docker.sock:/var/run/docker.sock\n",
            line=5,
            column=9,
            path="compose.yml",
        ),
        Invalid(
            "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: a\n    image: a:1\n  volumes:\n"
            "  - name: s\n"
            "    hostPath:\n      path: /var/run/docker.sock\n",
            line=10,
            column=13,
            path="pod.yaml",
        ),
        Invalid(
            "pipeline { agent { docker { image 'a:1'; args '-v "
            "/var/run/docker.sock:/var/run/docker.sock' } } }\n",
            line=1,
            column=51,
            path="Jenkinsfile",
        ),
        Invalid(
            "services:\n  a:\n    image: a:1\n    volumes:\n      - type: bind\n"
            "        source: /run/docker.sock\n"
            "        target: /s\n",
            line=6,
            column=17,
            path="compose.yml",
        ),
        Invalid(
            "services:\n  a:\n    image: a:1\n    volumes:\n"
            "      - ${SOCKET:-/var/run/docker.sock}:/var/run/docker.sock\n",
            line=5,
            column=9,
            path="compose.yml",
        ),
        Invalid(
            "node { sh 'docker run --rm -v /var/run/docker.sock:/s a:1 build' }\n",
            line=1,
            column=31,
            path="Jenkinsfile",
        ),
    ]

    def run(self) -> None:
        is_compose = self.file.kind is FileKind.COMPOSE
        meant = self._services(_BUILT_FOR_IT) if is_compose else []
        proxies = self._services(_PROXY) if is_compose else []
        is_agent = self.file.kind in KUBERNETES | TEMPLATE and re.search(r"kind:\s*DaemonSet", self.file.text)
        for mount in self.file.mounts:
            if not _SOCKET.search(mount.source) or any(a <= mount.start < b for a, b in proxies):
                continue
            is_meant = any(a <= mount.start < b for a, b in meant)
            if is_meant and _GUARDED.match(self.file.text, mount.end):
                continue
            said = "whoever controls the container controls the host"
            self.report_at(
                mount.start,
                mount.end,
                f"{said}; a socket proxy allows it what it needs only" if is_meant else said,
                severity=Severity.INFO if is_agent or is_meant else None,
            )

    def _services(self, named: LazyPattern) -> list[tuple[int, int]]:
        """Where services stand that are called so, or made from an image that is."""
        return [
            (service.node.start, service.node.end)
            for service in self.file.services
            if named.search(f"{service.name} {service.node.text('image')}")
        ]
