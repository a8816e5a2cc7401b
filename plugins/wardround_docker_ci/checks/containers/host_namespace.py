"""DC072."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.languages.yaml.tree import Mapping
from wardround_docker_ci.check import COMPOSE, HELM, KUBERNETES, TEMPLATE, CiCheck
from wardround_docker_ci.file_kinds import FileKind
from wardround_docker_ci.models.kubernetes import Pod

_COMPOSE_KEYS = {
    "pid": "processes",
    "ipc": "memory",
    "network_mode": "network",
    "userns_mode": "users",
    "cgroup": "control groups",
}
_POD_KEYS = {"hostPID": "processes", "hostIPC": "memory", "hostNetwork": "network"}

_MEANT = LazyPattern(
    r"cni|calico|cilium|flannel|weave|proxy|network|dns|exporter|prometheus|metallb|speaker|istio|ingress|csi|gpu"
    r"|device-plugin|kube|falco|tetragon|monitor|metrics|datadog|newrelic|sysdig|dynatrace|netdata|telegraf|ebpf",
    re.IGNORECASE,
)
"""Agents that work on the network of their node, or watch it."""


class HostNamespace(CiCheck):
    """A container shares processes, memory or network with the host.

    It can then look into or stop what runs there, or reach services that listen on localhost only. Publish
    the ports it needs instead.
    """

    ID = "DC072"
    NAME = "host-namespace"
    PLANE = Plane.SECURITY
    TRIED_ON = (
        "trees of 27 repositories: 10 hits; 640 commits of 16 that touch such files: 1; shared "
        "network and memory are often meant, so info; ports of the host, in 85: 6 more, all true, "
        "info; values of charts, in 27: none"
    )
    KINDS = COMPOSE | KUBERNETES | TEMPLATE | HELM
    NEEDS = ("host",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("services:\n  a:\n    image: a:1\n    network_mode: bridge\n", path="compose.yml"),
        Valid("services:\n  a:\n    image: a:1\n    networks: [host]\n", path="compose.yml"),
        Valid(
            "apiVersion: v1\nkind: Pod\nspec:\n  hostNetwork: false\n  containers:\n  - name: a\n"
            "    image: a:1\n",
            path="pod.yaml",
        ),
        Valid(
            "apiVersion: apps/v1\nkind: DaemonSet\nspec:\n  template:\n    spec:\n      hostNetwork: true\n"
            "      containers: [{name: a, image: calico/node:v3}]\n",
            path="agent.yaml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "apiVersion: apps/v1\nkind: DaemonSet\nspec:\n  template:\n    spec:\n      hostNetwork: true\n"
            "      containers: [{name: a, image: log-shipper:1}]\n",
            line=6,
            column=7,
            path="agent.yaml",
        ),
        Invalid(
            "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      containers:\n"
            "      - name: a\n        ports: [{containerPort: 80, hostPort: 80}]\n",
            line=8,
            column=37,
            path="deploy.yaml",
        ),
        Invalid("services:\n  a:\n    image: a:1\n    pid: host\n", line=4, column=5, path="compose.yml"),
        Invalid(
            "apiVersion: v1\nkind: Pod\nspec:\n  hostPID: true\n  containers: []\n",
            line=4,
            column=3,
            path="pod.yaml",
        ),
        Invalid(
            "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      hostNetwork: true\n"
            "      containers: []\n",
            line=6,
            column=7,
            path="deploy.yaml",
        ),
        Invalid(
            'services:\n  a:\n    image: a:1\n    network_mode: "host"\n',
            line=4,
            column=5,
            path="compose.yml",
        ),
        Invalid("replicaCount: 2\nhostNetwork: true\n", line=2, column=1, path="charts/a/values.yaml"),
    ]

    def run(self) -> None:
        if self.file.kind in HELM:
            if not _MEANT.search(f"{self.source.path} {self.file.root.text('image', 'repository')}"):
                for key, what in _POD_KEYS.items():
                    self._look(self.file.root, key, "true", what, Severity.INFO)
            return
        if self.file.kind is FileKind.COMPOSE:
            for service in self.file.services:
                for key, what in _COMPOSE_KEYS.items():
                    # Speed of the network and shared memory of browsers are good reasons; processes are not.
                    severity = None if key == "pid" else Severity.INFO
                    self._look(service.node, key, "host", what, severity)
        else:
            for pod in self.file.pods:
                is_agent = pod.kind == "DaemonSet"
                for key, what in _POD_KEYS.items():
                    if not is_agent or not _MEANT.search(pod.images):
                        self._look(pod.node, key, "true", what, Severity.INFO if is_agent else None)
                if pod.kind in ("Deployment", "StatefulSet", "ReplicaSet"):
                    self._ports(pod)

    def _ports(self, pod: Pod) -> None:
        for container in pod.containers:
            for port in container.node.listed("ports"):
                key, value = (
                    (port.key("hostPort"), port.scalar("hostPort"))
                    if isinstance(port, Mapping)
                    else (None, None)
                )
                if key is not None and value is not None:
                    said = "one pod a node, and past the cluster's network policies"
                    self.report_at(key.start, value.end, said, severity=Severity.INFO)

    def _look(self, node: Mapping, key: str, wanted: str, what: str, severity: Severity | None) -> None:
        name, value = node.key(key), node.scalar(key)
        if name is not None and value is not None and value.value == wanted:
            self.report_at(name.start, value.end, f"it shares the host's {what}", severity=severity)
