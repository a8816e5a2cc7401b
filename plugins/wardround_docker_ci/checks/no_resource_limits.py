"""DC102."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_docker_ci.check import KUBERNETES, CiCheck


class NoResourceLimits(CiCheck):
    """A container may take all memory of its node.

    One leak then stops its neighbours too. Set `resources.limits.memory`.
    """

    ID = "DC102"
    NAME = "no-resource-limits"
    PLANE = Plane.PERF
    SEVERITY = Severity.INFO
    OFF = "Limits are often set by a policy of the namespace, outside the file."
    TRIED_ON = "trees of 27 repositories: 102 hits; 640 commits of 16 that touch such files: 0"
    KINDS = KUBERNETES
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: a\n"
            "    resources: {limits: {memory: 1Gi}}\n",
            path="pod.yaml",
        ),
        Valid("apiVersion: v1\nkind: Service\nspec:\n  ports: []\n", path="pod.yaml"),
        Valid("apiVersion: v1\nkind: Pod\nspec:\n  initContainers:\n  - name: a\n", path="pod.yaml"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: a\n",
            line=5,
            column=5,
            path="pod.yaml",
        ),
        Invalid(
            "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - image: b:1\n    name: a\n",
            line=6,
            column=5,
            path="pod.yaml",
        ),
        Invalid(
            "apiVersion: batch/v1\nkind: Job\nspec:\n  template:\n    spec:\n      containers:\n"
            "      - name: a\n"
            "        resources: {requests: {memory: 1Gi}}\n",
            line=7,
            column=9,
            path="job.yaml",
        ),
    ]

    def run(self) -> None:
        for pod in self.file.pods:
            for container in pod.containers:
                key = container.node.key("name")
                if (
                    key is not None
                    and not container.is_init
                    and not container.node.mapping("resources", "limits").entries
                ):
                    self.report_at(key.start, key.end, f'"{container.name}" may take all memory of its node')
