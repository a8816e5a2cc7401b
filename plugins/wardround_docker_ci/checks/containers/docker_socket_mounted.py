from __future__ import annotations

import re
from collections.abc import Sequence

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import COMPOSE, JENKINS, KUBERNETES, TEMPLATE, WORKFLOW, CiCheck
from wardround_docker_ci.contents.mounts import Mount
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
"""Images and services whose purpose is to use the container engine."""
_PROXY = LazyPattern(r"socket-?proxy|\bdind\b|docker-in-docker|\bdocker:", re.IGNORECASE)
_GUARDED = LazyPattern(r":[^\s\"':]+:(?:\w+,)*ro\b|[\"']?\s+target:[^\n]*\s+read_only:\s*true")
"""A read-only mount is deliberate, although a program that can open the socket can still send any request."""


class DockerSocketMounted(CiCheck):
    """The socket of the container engine is mounted in a container.

    Anyone who controls the container controls the host: it can start a privileged container. Build without
    the engine (rootless BuildKit, Kaniko, buildah), or put a proxy in front of the socket that allows only
    the required requests.
    """

    ID = "DC071"
    NAME = "docker-socket-mounted"
    PLANE = Plane.SECURITY
    KINDS = COMPOSE | KUBERNETES | JENKINS | WORKFLOW | TEMPLATE
    NEEDS = (".sock", "docker_engine")
    CASE_PATH = "compose.yml"
    VALID = [
        code("""
            services:
              a:
                image: a:1
                volumes:
                  - /run/x.sock:/run/x.sock
        """),
        code("""
            services:
              a:
                image: a:1
                volumes:
                  - ./run/docker.sock
        """),
    ]
    INVALID = [
        code("""
            services:
              a:
                image: a:1
                volumes:
                  - "«/var/run/docker.sock»:/var/run/docker.sock"
        """),
        code("""
            services:
              proxy:
                image: traefik:v3
                volumes:
                  - «/var/run/docker.sock»:/var/run/docker.sock
        """),
    ]

    def run(self) -> None:
        is_compose = self.file.kind is FileKind.COMPOSE
        users = self._services(_BUILT_FOR_IT) if is_compose else []
        proxies = self._services(_PROXY) if is_compose else []
        for mount in self.file.mounts:
            if _SOCKET.search(mount.source) and not _is_inside(mount, proxies):
                self._check(mount, needs_socket=_is_inside(mount, users))

    def _check(self, mount: Mount, *, needs_socket: bool) -> None:
        if needs_socket and _GUARDED.match(self.file.text, mount.end):
            return
        message = "the engine's socket gives the container control of the host"
        if needs_socket:
            message += "; use a socket proxy that allows only the required requests"
        severity = Severity.INFO if needs_socket or self._is_agent() else None
        self.report_at(mount.start, mount.end, message, severity=severity)

    def _is_agent(self) -> bool:
        is_manifest = self.file.kind in KUBERNETES | TEMPLATE
        return is_manifest and re.search(r"kind:\s*DaemonSet", self.file.text) is not None

    def _services(self, named: LazyPattern) -> list[tuple[int, int]]:
        """Return the offsets of the services whose name or image matches a pattern."""
        return [
            (service.node.start, service.node.end)
            for service in self.file.services
            if named.search(f"{service.name} {service.node.text('image')}")
        ]


def _is_inside(mount: Mount, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= mount.start < end for start, end in spans)
