from __future__ import annotations

from collections.abc import Iterator

from wardround.findings import Severity
from wardround.languages.yaml.nodes import Mapping, Scalar
from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import KUBERNETES, CiCheck
from wardround_docker_ci.models.kubernetes import objects
from wardround_docker_ci.models.node_lists import mappings

_WORKLOADS = frozenset({"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"})
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")


class SelectorMismatch(CiCheck):
    """A selector or port does not match the label or port that it refers to.

    The API server rejects a workload whose selector does not match its own pods; a service without pods, or
    with an undefined port, has no endpoints; a probe of an undefined port restarts the container
    repeatedly. Use the defined name.
    """

    ID = "DC111"
    NAME = "selector-mismatch"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.WARN
    DEFECT_CLASS = "selector-mismatch"
    KINDS = KUBERNETES
    NEEDS = ("selector", "port:", "targetPort")
    CASE_PATH = "a.yaml"
    VALID = [
        code("""
            apiVersion: apps/v1
            kind: Deployment
            spec:
              selector:
                matchLabels: {app: a}
              template:
                metadata:
                  labels: {app: a, tier: b}
                spec:
                  containers: []
        """),
        code("""
            apiVersion: v1
            kind: Service
            spec:
              selector: {app: a}
              ports: [{targetPort: x}]
        """),
    ]
    INVALID = [
        code("""
            apiVersion: apps/v1
            kind: Deployment
            spec:
              selector:
                matchLabels:
                  app: «web»
              template:
                metadata:
                  labels:
                    app: api
                spec:
                  containers: []
        """),
        code("""
            apiVersion: v1
            kind: Pod
            spec:
              containers:
              - name: a
                ports: [{name: web, containerPort: 1}]
                livenessProbe:
                  httpGet:
                    port: «htp»
        """),
    ]

    def run(self) -> None:
        found = objects(self.file.documents)
        workloads = [resource for resource in found if resource.text("kind") in _WORKLOADS]
        for workload in workloads:
            self._own_labels(workload)
        by_label: dict[tuple[str, str], list[tuple[dict[str, str], Mapping]]] = {}
        for workload in workloads:
            labels = _labels(workload)
            for label in labels.items():
                by_label.setdefault(label, []).append((labels, workload))
        for resource in found:
            if resource.text("kind") == "Service":
                self._service(resource, by_label)
        for pod in self.file.pods:
            for container in pod.containers:
                self._probes(container.node)

    def _own_labels(self, mapping: Mapping) -> None:
        labels = _labels_of(mapping.mapping("spec", "template", "metadata", "labels"))
        for key, value in mapping.mapping("spec", "selector", "matchLabels").entries:
            if labels and isinstance(value, Scalar) and labels.get(key.value) != value.value:
                text = self.file.passage(value)
                self.report_at(
                    text.start,
                    text.end,
                    f"the pod template of this {mapping.text('kind')} does not have this label",
                )

    def _service(
        self, service: Mapping, by_label: dict[tuple[str, str], list[tuple[dict[str, str], Mapping]]]
    ) -> None:
        """Check the pods in the same file that the selector matches, and the ports they name."""
        selector = _labels_of(service.mapping("spec", "selector")).items()
        if not selector:
            return
        candidates = by_label.get(next(iter(selector)), [])
        selected = [workload for labels, workload in candidates if selector <= labels.items()]
        if selected:
            names = {name for workload in selected for name in _port_names(workload)}
            self._check_ports(service, names)

    def _check_ports(self, service: Mapping, names: set[str]) -> None:
        for port in mappings(service.items_at("spec", "ports")):
            target = port.scalar("targetPort")
            if target is not None and not target.value.isdigit() and target.value not in names:
                text = self.file.passage(target)
                self.report_at(text.start, text.end, f'no selected container has a port "{target.value}"')

    def _probes(self, container: Mapping) -> None:
        names = {port.text("name") for port in container.items_at("ports") if isinstance(port, Mapping)}
        for probe in _PROBES:
            for way in ("httpGet", "tcpSocket"):
                port = container.scalar(probe, way, "port")
                if (
                    port is not None
                    and not port.value.isdigit()
                    and port.value not in names
                    and "$" not in port.value
                ):
                    text = self.file.passage(port)
                    self.report_at(
                        text.start, text.end, f'the container does not define a port "{port.value}"'
                    )


def _labels(workload: Mapping) -> dict[str, str]:
    return _labels_of(workload.mapping("spec", "template", "metadata", "labels"))


def _labels_of(node: Mapping) -> dict[str, str]:
    return {key.value: value.value for key, value in node.entries if isinstance(value, Scalar)}


def _port_names(workload: Mapping) -> Iterator[str]:
    for container in mappings(workload.mapping("spec", "template", "spec").items_at("containers")):
        yield from (port.text("name") for port in mappings(container.items_at("ports")))
