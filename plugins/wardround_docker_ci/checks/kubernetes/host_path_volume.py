"""DC209."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.languages.yaml.tree import Mapping
from wardround_docker_ci.check import KUBERNETES, TEMPLATE, CiCheck

_OF_THE_SYSTEM = LazyPattern(
    r"^/(?:dev|sys|proc|lib/modules|etc|root|boot|usr|run|var/run|var/lib/(?:docker|kubelet))(?:/|$)|\.sock$|^/$|^\$"
)
"""What is looked at by another rule, or is there on every node alike."""
_STAYS = ("Deployment", "StatefulSet", "ReplicaSet")


class HostPathVolume(CiCheck):
    """The pods of a deployment keep files in a folder of whatever node they are on.

    On another node the folder is empty, and two pods of one node write into the same. A
    `persistentVolumeClaim` goes with the pod, and an `emptyDir` is its own.
    """

    ID = "DC209"
    NAME = "host-path-volume"
    DEFECT_CLASS = "host-folder-in-pod"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    TRIED_ON = "trees of 27 repositories: no hit"
    KINDS = KUBERNETES | TEMPLATE
    NEEDS = ("hostPath",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "apiVersion: apps/v1\nkind: DaemonSet\nspec:\n  template:\n    spec:\n      containers: []\n"
            "      volumes:\n      - name: l\n        hostPath: {path: /srv/logs}\n",
            path="a.yaml",
        ),
        Valid(
            "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      containers: []\n"
            "      volumes:\n      - name: l\n        emptyDir: {}\n",
            path="a.yaml",
        ),
        Valid(
            "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      containers: []\n"
            "      volumes:\n      - name: l\n        hostPath: {path: /dev/kvm}\n",
            path="a.yaml",
        ),
        Valid(
            "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      containers: []\n"
            "      nodeSelector: {disk: big}\n"
            "      volumes:\n      - name: l\n        hostPath: {path: /srv/d}\n",
            path="a.yaml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      containers: []\n"
            "      volumes:\n      - name: l\n        hostPath:\n          path: /srv/files\n",
            line=10,
            column=17,
            path="a.yaml",
        ),
        Invalid(
            "apiVersion: apps/v1\nkind: StatefulSet\nspec:\n  template:\n    spec:\n      containers: []\n"
            "      volumes: [{name: d, hostPath: {path: /data/pg}}]\n",
            line=7,
            column=44,
            path="a.yaml",
        ),
        Invalid(
            "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      volumes:\n"
            "      - name: l\n        hostPath:\n          type: DirectoryOrCreate\n          path: /mnt/in\n"
            "      containers: []\n",
            line=10,
            column=17,
            path="a.yaml",
        ),
    ]

    def run(self) -> None:
        for pod in self.file.pods:
            pinned = any(pod.node.get(key) is not None for key in ("nodeName", "nodeSelector", "affinity"))
            if pod.kind not in _STAYS or pinned:
                continue
            for volume in pod.node.listed("volumes"):
                path = volume.scalar("hostPath", "path") if isinstance(volume, Mapping) else None
                if path is not None and not _OF_THE_SYSTEM.search(path.value):
                    text = self.file.passage(path)
                    said = f"{path.value} is another folder on every node"
                    self.report_at(text.start, text.end, said)
