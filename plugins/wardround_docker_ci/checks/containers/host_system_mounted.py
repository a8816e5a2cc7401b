"""DC073."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.languages.yaml.tree import Scalar
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
    PLANE = Plane.SECURITY
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = COMPOSE | KUBERNETES | JENKINS | TEMPLATE
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "services:\n  a:\n    image: a:1\n    volumes: ['/etc/localtime:/etc/localtime']\n",
            path="compose.yml",
        ),
        Valid("services:\n  a:\n    image: a:1\n    volumes: ['/:/host:ro']\n", path="compose.yml"),
        Valid(
            "services:\n  node-exporter:\n    image: a:1\n    volumes: ['/:/rootfs']\n", path="compose.yml"
        ),
        Valid("services:\n  a:\n    image: a:1\n    volumes: ['/data', 'db:/etc']\n", path="compose.yml"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "services:\n  a:\n    image: a:1\n    volumes:\n      - /:/host\n",
            line=5,
            column=9,
            path="compose.yml",
        ),
        Invalid(
            "services:\n  a:\n    image: a:1\n    devices: ['/dev/sda:/dev/sda']\n",
            line=4,
            column=16,
            path="compose.yml",
        ),
        Invalid(
            "services:\n  a:\n    image: a:1\n    volumes: ['/etc:/x/etc:rw']\n",
            line=4,
            column=16,
            path="compose.yml",
        ),
        Invalid(
            "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: a\n    image: a:1\n  volumes:\n"
            "  - name: s\n"
            "    hostPath: {path: /}\n",
            line=9,
            column=22,
            path="pod.yaml",
        ),
        Invalid(
            "pipeline { agent { docker { image 'a:1'; args '-v /root:/root' } } }\n",
            line=1,
            column=51,
            path="Jenkinsfile",
        ),
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
