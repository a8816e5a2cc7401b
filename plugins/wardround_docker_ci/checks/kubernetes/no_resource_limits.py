"""DC102."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround.languages.yaml.tree import Mapping
from wardround_docker_ci.check import HELM, KUBERNETES, CiCheck

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
            if pod.kind not in _STAYS or pod.node.get("resources") is not None:
                continue
            for container in pod.containers:
                key = container.node.key("name")
                resources = container.node.mapping("resources")
                # Without an image it only patches a container of another file.
                if key is None or container.is_init or container.node.get("image") is None:
                    continue
                message = f'"{container.name}" can use all memory of its node'
                if not resources.entries:
                    named = container.node.key("resources") or key
                    self.report_at(named.start, named.end, f"{message}; set resources")
                elif (
                    (place := container.node.key("resources")) is not None
                    and isinstance(resources.get("limits"), Mapping | None)
                    and resources.at("limits", "memory") is None
                ):
                    self.report_at(place.start, place.end, f"{message}; set limits.memory")

    def _check_values(self) -> None:
        """Check the values of one installation of a chart, where empty resources stay empty."""
        if self.source.path.rpartition("/")[2] in ("values.yaml", "values.yml"):
            return
        key, value = self.file.root.key("resources"), self.file.root.get("resources")
        if key is not None and isinstance(value, Mapping) and not value.entries:
            self.report_at(
                key.start, value.end, "the containers can use all memory of their nodes; set resources"
            )
