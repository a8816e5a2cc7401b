from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.languages.yaml.nodes import Mapping
from wardround.rules.cases import code
from wardround_docker_ci.check import HELM, KUBERNETES, CiCheck
from wardround_docker_ci.models.kubernetes import Container

_STAYS = frozenset({"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController"})


class NoResourceLimits(CiCheck):
    """A container of a service has no resource requests or memory limit.

    The scheduler places it anywhere, and a memory leak stops its neighbours or evicts it first. Set
    `resources.requests`, and `resources.limits.memory`.
    """

    ID = "DC102"
    NAME = "no-resource-limits"
    PLANE = Plane.PERF
    SEVERITY = Severity.INFO
    KINDS = KUBERNETES | HELM
    CASE_PATH = "web.yaml"
    VALID = [
        code("""
            apiVersion: apps/v1
            kind: Deployment
            spec:
              template:
                spec:
                  containers:
                  - name: a
                    image: b:1
                    resources: {limits: {memory: 1Gi}}
        """),
        code(
            """
            apiVersion: v1
            kind: Service
            spec:
              ports: []
            """,
            path="pod.yaml",
        ),
    ]
    INVALID = [
        code(
            """
            replicaCount: 3
            «resources: {}»
            """,
            path="charts/a/values-production.yaml",
        ),
        code("""
            apiVersion: apps/v1
            kind: Deployment
            spec:
              template:
                spec:
                  containers:
                  - «name»: a
                    image: b:1
        """),
    ]

    def run(self) -> None:
        if self.file.kind in HELM:
            self._check_values()
        for pod in self.file.pods if self.file.kind in KUBERNETES else ():
            if pod.kind in _STAYS and pod.node.get("resources") is None:
                for container in pod.containers:
                    self._check(container)

    def _check(self, container: Container) -> None:
        name, key = container.node.key("name"), container.node.key("resources")
        # Without an image it only patches a container of another file.
        if name is None or container.is_init or container.node.get("image") is None:
            return
        resources = container.node.mapping("resources")
        message = f'"{container.name}" can use all memory of its node'
        if not resources.entries:
            location = key or name
            self.report_at(location.start, location.end, f"{message}; set resources")
        elif key is not None and _lacks_memory_limit(resources):
            self.report_at(key.start, key.end, f"{message}; set limits.memory")

    def _check_values(self) -> None:
        """Check the values of one installation of a chart, where empty resources stay empty."""
        if self.source.path.rpartition("/")[2] in ("values.yaml", "values.yml"):
            return
        key, value = self.file.root.key("resources"), self.file.root.get("resources")
        if key is not None and isinstance(value, Mapping) and not value.entries:
            self.report_at(
                key.start, value.end, "the containers can use all memory of their nodes; set resources"
            )


def _lacks_memory_limit(resources: Mapping) -> bool:
    is_readable = isinstance(resources.get("limits"), Mapping | None)
    return is_readable and resources.at("limits", "memory") is None
