from __future__ import annotations

from wardround.findings import Severity
from wardround.rules.cases import code
from wardround_docker_ci.analysis.deployment_kind import FOR_TRIALS
from wardround_docker_ci.check import KUBERNETES, CiCheck
from wardround_docker_ci.models.kubernetes import Container
from wardround_docker_ci.models.node_lists import mappings

_PROBES = ("readinessProbe", "livenessProbe", "startupProbe")


class MissingProbe(CiCheck):
    """A container of a service has no probe.

    Kubernetes sends requests to it from the moment its process exists, even while it starts and after it
    hangs, so every rollout loses some. Add a `readinessProbe`.
    """

    ID = "DC210"
    NAME = "missing-probe"
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "no-healthcheck"
    KINDS = KUBERNETES
    NEEDS = ("containerPort",)
    CASE_PATH = "a.yaml"
    VALID = [
        code("""
            apiVersion: apps/v1
            kind: Deployment
            spec:
              template:
                spec:
                  containers:
                  - name: a
                    image: a:1
                    ports: [{containerPort: 80}]
                    readinessProbe: {httpGet: {path: /, port: 80}}
        """),
        code(
            """
            apiVersion: apps/v1
            kind: Deployment
            spec:
              template:
                spec:
                  containers:
                  - name: a
                    ports: [{containerPort: 80}]
            """,
            path="patch.yaml",
        ),
    ]
    INVALID = [
        code("""
            apiVersion: apps/v1
            kind: Deployment
            spec:
              template:
                spec:
                  containers:
                  - «name»: a
                    image: a:1
                    ports: [{containerPort: 80}]
        """),
        code("""
            apiVersion: apps/v1
            kind: StatefulSet
            spec:
              template:
                spec:
                  containers:
                  - image: a:1
                    «name»: a
                    ports:
                    - name: http
                      containerPort: 8080
        """),
    ]

    def run(self) -> None:
        if FOR_TRIALS.search(self.source.path):
            return
        for pod in self.file.pods:
            if pod.kind not in ("Deployment", "StatefulSet"):
                continue
            for container in pod.containers:
                key = container.node.key("name")
                if (
                    key is not None
                    and _is_serving(container)
                    and not any(container.node.get(probe) is not None for probe in _PROBES)
                ):
                    message = f'"{container.name}" has no probe; add a readinessProbe'
                    self.report_at(key.start, key.end, message)


def _is_serving(container: Container) -> bool:
    if container.is_init or container.node.get("image") is None or container.node.get("<<") is not None:
        return False
    ports = mappings(container.node.items_at("ports"))
    names = [port.text("name") for port in ports if port.scalar("containerPort") is not None]
    return any("metric" not in name and "prom" not in name for name in names)
