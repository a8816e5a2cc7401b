"""DC073: host system mounted."""

from __future__ import annotations

import re

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import COMPOSE, JENKINS, KUBERNETES, TEMPLATE, CiCheck
from wardround_docker_ci.contents.mounts import Mount
from wardround_docker_ci.file_kinds import FileKind
from wardround_docker_ci.models.compose import Service
from wardround_docker_ci.models.node_lists import scalars

_SYSTEM_DIRECTORIES = frozenset(
    {"/", "/etc", "/root", "/proc", "/boot", "/usr", "/var/lib/docker", "/var/lib/kubelet"}
)
_OBSERVERS = LazyPattern(
    r"exporter|cadvisor|promtail|fluent|datadog|netdata|telegraf|vector|agent|glances|falco|trivy|bench|beszel",
    re.IGNORECASE,
)

_DISKS = LazyPattern(r"/dev/(?:k?mem|port|sd[a-z]|nvme\d|vd[a-z]|xvd[a-z]|dm-\d|mapper/|disk/)")


class HostSystemMounted(CiCheck):
    """A system directory of the host is mounted writable in a container.

    Anyone who controls the container can change the host's users, keys and programs. Mount only the file
    that the container reads, read-only.
    """

    ID = "DC073"
    NAME = "host-system-mounted"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SECURITY
    KINDS = COMPOSE | KUBERNETES | JENKINS | TEMPLATE
    CASE_PATH = "compose.yml"
    VALID = [
        code("""
            services:
              a:
                image: a:1
                volumes: ['/etc/localtime:/etc/localtime']
        """),
        code("""
            services:
              a:
                image: a:1
                volumes: ['/:/host:ro']
        """),
    ]
    INVALID = [
        code("""
            services:
              a:
                image: a:1
                volumes:
                  - «/»:/host
        """),
        code("""
            services:
              a:
                image: a:1
                devices: ['«/dev/sda:/dev/sda»']
        """),
    ]

    def run(self) -> None:
        for service in self.file.services if self.file.kind is FileKind.COMPOSE else ():
            self._check_devices(service)
        for mount in self.file.mounts:
            self._check_mount(mount)

    def _check_devices(self, service: Service) -> None:
        for device in scalars(service.node.listed("devices")):
            if _DISKS.match(device.value):
                text = self.file.passage(device)
                message = "the device gives the container raw access to the host's memory or disks"
                self.report_at(text.start, text.end, message)

    def _check_mount(self, mount: Mount) -> None:
        source = mount.source.rstrip("/") or "/"
        if self._is_system_directory(mount, source) and not self._observes(mount):
            message = f"the container can write to {source} of the host; mount it read-only"
            self.report_at(mount.start, mount.end, message)
        elif source == "/" and self._is_writable_pod():
            message = "the container can write to every disk of the host; mount it read-only"
            self.report_at(mount.start, mount.end, message, severity=Severity.INFO)

    def _is_system_directory(self, mount: Mount, source: str) -> bool:
        rest = self.file.text[mount.end : mount.end + 200].split("\n")[0]
        is_read_only = re.match(r"[^\s,]*:(?:\w+,)*ro\b", rest) is not None
        return source in _SYSTEM_DIRECTORIES and mount.source.startswith("/") and not is_read_only

    def _is_writable_pod(self) -> bool:
        return self.file.kind in KUBERNETES | TEMPLATE and "readOnly: true" not in self.file.text

    def _observes(self, mount: Mount) -> bool:
        """Return True if the container exists to monitor the host, or mounts the directory read-only."""
        if self.file.kind in KUBERNETES | TEMPLATE:
            return "readOnly: true" in self.file.text or _OBSERVERS.search(self.file.text) is not None
        if self.file.kind is not FileKind.COMPOSE:
            return False
        around = next((s for s in self.file.services if s.node.start <= mount.start < s.node.end), None)
        names = f"{around.name} {around.node.text('image')}" if around is not None else ""
        return _OBSERVERS.search(names) is not None
