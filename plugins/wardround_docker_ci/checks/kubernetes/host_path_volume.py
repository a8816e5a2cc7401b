from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.languages.yaml.nodes import Mapping
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import KUBERNETES, TEMPLATE, CiCheck

_OF_THE_SYSTEM = LazyPattern(
    r"^/(?:dev|sys|proc|lib/modules|etc|root|boot|usr|run|var/run|var/lib/(?:docker|kubelet))(?:/|$)|\.sock$|^/$|^\$"
)
"""Paths that another rule reports, or that are the same on every node."""
_STAYS = ("Deployment", "StatefulSet", "ReplicaSet")


class HostPathVolume(CiCheck):
    """The pods of a workload store files in a directory of their node.

    On another node the directory is empty, and two pods of one node write to the same directory. Use a
    `persistentVolumeClaim`, which moves with the pod, or an `emptyDir`, which is its own.
    """

    ID = "DC209"
    NAME = "host-path-volume"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "host-folder-in-pod"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    KINDS = KUBERNETES | TEMPLATE
    NEEDS = ("hostPath",)
    CASE_PATH = "a.yaml"
    VALID = [
        code("""
            apiVersion: apps/v1
            kind: DaemonSet
            spec:
              template:
                spec:
                  containers: []
                  volumes:
                  - name: l
                    hostPath: {path: /srv/logs}
        """),
        code("""
            apiVersion: apps/v1
            kind: Deployment
            spec:
              template:
                spec:
                  containers: []
                  volumes:
                  - name: l
                    emptyDir: {}
        """),
    ]
    INVALID = [
        code("""
            apiVersion: apps/v1
            kind: Deployment
            spec:
              template:
                spec:
                  containers: []
                  volumes:
                  - name: l
                    hostPath:
                      path: «/srv/files»
        """),
        code("""
            apiVersion: apps/v1
            kind: StatefulSet
            spec:
              template:
                spec:
                  containers: []
                  volumes: [{name: d, hostPath: {path: «/data/pg»}}]
        """),
    ]

    def run(self) -> None:
        for pod in self.file.pods:
            pinned = any(pod.node.get(key) is not None for key in ("nodeName", "nodeSelector", "affinity"))
            if pod.kind not in _STAYS or pinned:
                continue
            for volume in pod.node.items_at("volumes"):
                path = volume.scalar("hostPath", "path") if isinstance(volume, Mapping) else None
                if path is not None and not _OF_THE_SYSTEM.search(path.value):
                    text = self.file.passage(path)
                    message = (
                        f"{path.value} differs on every node; use a persistentVolumeClaim or an emptyDir"
                    )
                    self.report_at(text.start, text.end, message)
