"""DC073."""

from __future__ import annotations

import re

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.languages.yaml.tree import Scalar
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import COMPOSE, JENKINS, KUBERNETES, TEMPLATE, CiCheck
from wardround_docker_ci.document import Mount
from wardround_docker_ci.file_kinds import FileKind

_WHOLE = frozenset({"/", "/etc", "/root", "/proc", "/boot", "/usr", "/var/lib/docker", "/var/lib/kubelet"})
_OBSERVERS = LazyPattern(
    r"exporter|cadvisor|promtail|fluent|datadog|netdata|telegraf|vector|agent|glances|falco|trivy|bench|beszel",
    re.IGNORECASE,
)

_DISKS = LazyPattern(r"/dev/(?:k?mem|port|sd[a-z]|nvme\d|vd[a-z]|xvd[a-z]|dm-\d|mapper/|disk/)")


class HostSystemMounted(CiCheck):
    """A container gets a system folder of the host, and may write there.

    Whoever controls the container can change the host's users, keys and programs. Mount the one file it
    reads, and read-only.
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
            for device in service.node.listed("devices"):
                if isinstance(device, Scalar) and _DISKS.match(device.value):
                    text = self.file.passage(device)
                    said = "the container reads and writes memory or disks of the host past every permission"
                    self.report_at(text.start, text.end, said)
        for mount in self.file.mounts:
            source = mount.source.rstrip("/") or "/"
            rest = self.file.text[mount.end : mount.end + 200].split("\n")[0]
            is_read_only = re.match(r"[^\s,]*:(?:\w+,)*ro\b", rest)
            if (
                source in _WHOLE
                and mount.source.startswith("/")
                and not is_read_only
                and not self._observes(mount)
            ):
                self.report_at(mount.start, mount.end, f"the container may write to the host's {source}")
            elif (
                source == "/"
                and self.file.kind in KUBERNETES | TEMPLATE
                and "readOnly: true" not in self.file.text
            ):
                said = "the container may write to every disk of the host"
                self.report_at(mount.start, mount.end, said, severity=Severity.INFO)

    def _observes(self, mount: Mount) -> bool:
        """Whether what gets the folder exists to look at the host, or may only read it."""
        if self.file.kind in KUBERNETES | TEMPLATE:
            return "readOnly: true" in self.file.text or _OBSERVERS.search(self.file.text) is not None
        if self.file.kind is not FileKind.COMPOSE:
            return False
        around = next((s for s in self.file.services if s.node.start <= mount.start < s.node.end), None)
        names = f"{around.name} {around.node.text('image')}" if around is not None else ""
        return _OBSERVERS.search(names) is not None
