"""DC071."""

from __future__ import annotations

import re

from wardround.checks.cases import code
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
        is_agent = self.file.kind in KUBERNETES | TEMPLATE and re.search(r"kind:\s*DaemonSet", self.file.text)
        for mount in self.file.mounts:
            if not _SOCKET.search(mount.source) or any(a <= mount.start < b for a, b in proxies):
                continue
            needs_socket = any(a <= mount.start < b for a, b in users)
            if needs_socket and _GUARDED.match(self.file.text, mount.end):
                continue
            message = "the engine's socket gives the container control of the host"
            self.report_at(
                mount.start,
                mount.end,
                f"{message}; use a socket proxy that allows only the required requests"
                if needs_socket
                else message,
                severity=Severity.INFO if is_agent or needs_socket else None,
            )

    def _services(self, named: LazyPattern) -> list[tuple[int, int]]:
        """Return the offsets of the services whose name or image matches a pattern."""
        return [
            (service.node.start, service.node.end)
            for service in self.file.services
            if named.search(f"{service.name} {service.node.text('image')}")
        ]
