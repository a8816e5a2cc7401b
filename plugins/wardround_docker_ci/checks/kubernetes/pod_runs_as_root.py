from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.languages.yaml.nodes import Mapping
from wardround.rules.cases import code
from wardround_docker_ci.check import HELM, KUBERNETES, TEMPLATE, CiCheck
from wardround_docker_ci.models.kubernetes import contexts


class PodRunsAsRoot(CiCheck):
    """A container runs as root, or may become root.

    A vulnerability in its program then gives an attacker root inside the container. Set `runAsNonRoot:
    true` and `allowPrivilegeEscalation: false`.
    """

    ID = "DC100"
    NAME = "pod-runs-as-root"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "root-user"
    KINDS = KUBERNETES | HELM | TEMPLATE
    NEEDS = ("runAsUser", "allowPrivilegeEscalation", "runAsNonRoot")
    CASE_PATH = "pod.yaml"
    VALID = [
        code("""
            apiVersion: v1
            kind: Pod
            spec:
              securityContext: {runAsUser: 1000}
              containers:
              - name: a
        """),
        code("""
            apiVersion: v1
            kind: Pod
            spec:
              initContainers:
              - name: a
                securityContext: {runAsUser: 0}
        """),
    ]
    INVALID = [
        code("""
            apiVersion: v1
            kind: Pod
            spec:
              containers:
              - name: a
                securityContext:
                  privileged: true
                  allowPrivilegeEscalation: true
                  runAsNonRoot: false
                  «runAsUser: 0»
        """),
        code(
            """
            image: {repository: a, tag: '1'}
            podSecurityContext:
              «runAsUser: 0»
            """,
            path="charts/a/values-prod.yaml",
        ),
    ]

    def run(self) -> None:
        if self.file.kind in HELM:
            for context in contexts(self.file.root):
                self._check(context)
            return
        for pod in self.file.pods:
            self._check(pod.node.mapping("securityContext"))
            for container in pod.containers:
                if not container.is_init:
                    self._check(container.node.mapping("securityContext"))

    def _check(self, context: Mapping) -> None:
        implied = _implied_settings(context)
        for name, bad in (
            ("runAsUser", "0"),
            ("allowPrivilegeEscalation", "true"),
            ("runAsNonRoot", "false"),
        ):
            key, value = context.key(name), context.scalar(name)
            if name in implied:
                continue
            if key is not None and value is not None and value.value == bad:
                # The image may still set another user.
                severity = Severity.INFO if name == "runAsNonRoot" else None
                self.report_at(
                    key.start, value.end, f"{name}: {bad} lets the program run as root", severity=severity
                )


def _implied_settings(context: Mapping) -> set[str]:
    """Return the settings that another setting of the same context implies."""
    out = {"runAsNonRoot"} if context.text("runAsUser") == "0" else set()
    return out | ({"allowPrivilegeEscalation"} if context.text("privileged") == "true" else set())
