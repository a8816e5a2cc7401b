from __future__ import annotations

import re

from wardround.findings import Plane, Severity
from wardround.languages.yaml.nodes import Mapping
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import COMPOSE, HELM, KUBERNETES, TEMPLATE, CiCheck
from wardround_docker_ci.file_kinds import FileKind
from wardround_docker_ci.models.compose import Service
from wardround_docker_ci.models.kubernetes import Pod

_COMPOSE_KEYS = {
    "pid": "processes",
    "ipc": "memory",
    "network_mode": "network",
    "userns_mode": "users",
    "cgroup": "control groups",
}
_POD_KEYS = {"hostPID": "processes", "hostIPC": "memory", "hostNetwork": "network"}

_NODE_AGENTS = LazyPattern(
    r"cni|calico|cilium|flannel|weave|proxy|network|dns|exporter|prometheus|metallb|speaker|istio|ingress|csi|gpu"
    r"|device-plugin|kube|falco|tetragon|monitor|metrics|datadog|newrelic|sysdig|dynatrace|netdata|telegraf|ebpf",
    re.IGNORECASE,
)
"""Agents that configure or monitor the network of their node."""


class HostNamespace(CiCheck):
    """A container shares a namespace with the host: processes, memory or network.

    It can inspect and kill the host's processes, or reach services that listen only on localhost. Publish
    the required ports instead.
    """

    ID = "DC072"
    NAME = "host-namespace"
    PLANE = Plane.SECURITY
    KINDS = COMPOSE | KUBERNETES | TEMPLATE | HELM
    NEEDS = ("host",)
    CASE_PATH = "compose.yml"
    VALID = [
        code("""
            services:
              a:
                image: a:1
                network_mode: bridge
        """),
        code("""
            services:
              a:
                image: a:1
                networks: [host]
        """),
    ]
    INVALID = [
        code(
            """
            apiVersion: apps/v1
            kind: DaemonSet
            spec:
              template:
                spec:
                  «hostNetwork: true»
                  containers: [{name: a, image: log-shipper:1}]
            """,
            path="agent.yaml",
        ),
        code(
            """
            apiVersion: apps/v1
            kind: Deployment
            spec:
              template:
                spec:
                  containers:
                  - name: a
                    ports: [{containerPort: 80, «hostPort: 80»}]
            """,
            path="deploy.yaml",
        ),
    ]

    def run(self) -> None:
        if self.file.kind in HELM:
            self._check_values()
        elif self.file.kind is FileKind.COMPOSE:
            for service in self.file.services:
                self._check_service(service)
        else:
            for pod in self.file.pods:
                self._check_pod(pod)

    def _check_values(self) -> None:
        if not _NODE_AGENTS.search(f"{self.source.path} {self.file.root.text('image', 'repository')}"):
            for key, namespace in _POD_KEYS.items():
                self._check(self.file.root, key, "true", namespace, Severity.INFO)

    def _check_service(self, service: Service) -> None:
        for key, namespace in _COMPOSE_KEYS.items():
            # Network throughput and browsers' shared memory are good reasons; processes are not.
            severity = None if key == "pid" else Severity.INFO
            self._check(service.node, key, "host", namespace, severity)

    def _check_pod(self, pod: Pod) -> None:
        is_agent = pod.kind == "DaemonSet"
        for key, namespace in _POD_KEYS.items():
            if not is_agent or not _NODE_AGENTS.search(pod.images):
                self._check(pod.node, key, "true", namespace, Severity.INFO if is_agent else None)
        if pod.kind in ("Deployment", "StatefulSet", "ReplicaSet"):
            self._ports(pod)

    def _ports(self, pod: Pod) -> None:
        for container in pod.containers:
            for port in container.node.items_at("ports"):
                key, value = (
                    (port.key("hostPort"), port.scalar("hostPort"))
                    if isinstance(port, Mapping)
                    else (None, None)
                )
                if key is not None and value is not None:
                    message = "hostPort allows one pod per node and bypasses network policies; use a Service"
                    self.report_at(key.start, value.end, message, severity=Severity.INFO)

    def _check(
        self, node: Mapping, key: str, expected: str, namespace: str, severity: Severity | None
    ) -> None:
        name, value = node.key(key), node.scalar(key)
        if name is not None and value is not None and value.value == expected:
            self.report_at(
                name.start, value.end, f"the container shares the host's {namespace}", severity=severity
            )
