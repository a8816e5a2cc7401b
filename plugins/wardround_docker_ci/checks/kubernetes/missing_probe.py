"""DC210."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Severity
from wardround.languages.yaml.tree import Mapping, Scalar
from wardround_docker_ci.analysis.deployment_kind import FOR_TRIALS
from wardround_docker_ci.check import KUBERNETES, CiCheck
from wardround_docker_ci.models.kubernetes import Container

_PROBES = ("readinessProbe", "livenessProbe", "startupProbe")


class MissingProbe(CiCheck):
    """Nothing asks whether the service in this container answers.

    Kubernetes sends requests to it from the moment its process exists, also while it starts and after it
    hangs, so every rollout loses some. Add a `readinessProbe`.
    """

    ID = "DC210"
    NAME = "missing-probe"
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "no-healthcheck"
    TRIED_ON = (
        "trees of 27 repositories: 31 hits, nearly all in examples and test data, which are left "
        "out since; 11 now, true but for a sidecar"
    )
    KINDS = KUBERNETES
    NEEDS = ("containerPort",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      containers:\n"
            "      - name: a\n        image: a:1\n        ports: [{containerPort: 80}]\n"
            "        readinessProbe: {httpGet: {path: /, port: 80}}\n",
            path="a.yaml",
        ),
        Valid(
            "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      containers:\n"
            "      - name: worker\n        image: a:1\n        ports:\n"
            "        - {containerPort: 9090, name: metrics}\n",
            path="a.yaml",
        ),
        Valid(
            "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      containers:\n"
            "      - name: a\n        ports: [{containerPort: 80}]\n",
            path="patch.yaml",
        ),
        Valid(
            "apiVersion: batch/v1\nkind: Job\nspec:\n  template:\n    spec:\n      containers:\n"
            "      - name: a\n        image: a:1\n        ports: [{containerPort: 80}]\n",
            path="a.yaml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      containers:\n"
            "      - name: a\n        image: a:1\n        ports: [{containerPort: 80}]\n",
            line=7,
            column=9,
            path="a.yaml",
        ),
        Invalid(
            "apiVersion: apps/v1\nkind: StatefulSet\nspec:\n  template:\n    spec:\n      containers:\n"
            "      - image: a:1\n        name: a\n        ports:\n        - name: http\n"
            "          containerPort: 8080\n",
            line=8,
            column=9,
            path="a.yaml",
        ),
        Invalid(
            "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      containers:\n"
            "      - {name: a, image: a:1, ports: [{containerPort: 80}], livenessProbe: {exec: {}}}\n"
            "      - name: b\n        image: b:1\n        ports: [{containerPort: 81}]\n",
            line=8,
            column=9,
            path="a.yaml",
        ),
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
                    and _serves(container)
                    and not any(container.node.get(probe) is not None for probe in _PROBES)
                ):
                    said = f'nothing asks whether "{container.name}" answers'
                    self.report_at(key.start, key.end, said)


def _serves(container: Container) -> bool:
    if container.is_init or container.node.get("image") is None or container.node.get("<<") is not None:
        return False
    ports = [port for port in container.node.listed("ports") if isinstance(port, Mapping)]
    names = [port.scalar("name") for port in ports if isinstance(port.scalar("containerPort"), Scalar)]
    return any(name is None or ("metric" not in name.value and "prom" not in name.value) for name in names)
