"""DC100."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround.languages.yaml.tree import Mapping
from wardround_docker_ci.check import HELM, KUBERNETES, TEMPLATE, CiCheck
from wardround_docker_ci.models.kubernetes import contexts


class PodRunsAsRoot(CiCheck):
    """A container is told to run as root, or may become it.

    A hole in its program then gives an attacker root inside the container. Set `runAsNonRoot: true` and
    `allowPrivilegeEscalation: false`.
    """

    ID = "DC100"
    NAME = "pod-runs-as-root"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "root-user"
    TRIED_ON = (
        "trees of 27 repositories and 640 commits of 16 that touch such files: no hit; charts and "
        "runAsNonRoot, in 85: 4 hits, all true"
    )
    KINDS = KUBERNETES | HELM | TEMPLATE
    NEEDS = ("runAsUser", "allowPrivilegeEscalation", "runAsNonRoot")
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "apiVersion: v1\nkind: Pod\nspec:\n  securityContext: {runAsUser: 1000}\n  containers:\n"
            "  - name: a\n",
            path="pod.yaml",
        ),
        Valid(
            "apiVersion: v1\nkind: Pod\nspec:\n  initContainers:\n  - name: a\n"
            "    securityContext: {runAsUser: 0}\n",
            path="pod.yaml",
        ),
        Valid(
            "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: a\n    securityContext:\n"
            "      allowPrivilegeEscalation: false\n",
            path="pod.yaml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: a\n    securityContext:\n"
            "      privileged: true\n      allowPrivilegeEscalation: true\n      runAsNonRoot: false\n"
            "      runAsUser: 0\n",
            10,
            7,
            path="pod.yaml",
        ),
        Invalid(
            "image: {repository: a, tag: '1'}\npodSecurityContext:\n  runAsUser: 0\n",
            line=3,
            column=3,
            path="charts/a/values-prod.yaml",
        ),
        Invalid(
            "apiVersion: v1\nkind: Pod\nspec:\n  securityContext: {runAsNonRoot: false}\n  containers:\n"
            "  - name: a\n",
            line=4,
            column=21,
            path="pod.yaml",
        ),
        Invalid(
            "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: a\n    securityContext:\n"
            "      runAsUser: 0\n",
            line=7,
            column=7,
            path="pod.yaml",
        ),
        Invalid(
            "apiVersion: v1\nkind: Pod\nspec:\n  securityContext:\n    runAsUser: 0\n  containers:\n"
            "  - name: a\n",
            line=5,
            column=5,
            path="pod.yaml",
        ),
        Invalid(
            "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: a\n    securityContext:\n"
            "      allowPrivilegeEscalation: true\n",
            line=7,
            column=7,
            path="pod.yaml",
        ),
    ]

    def run(self) -> None:
        if self.file.kind in HELM:
            for context in contexts(self.file.root):
                self._look(context)
            return
        for pod in self.file.pods:
            self._look(pod.node.mapping("securityContext"))
            for container in pod.containers:
                if not container.is_init:
                    self._look(container.node.mapping("securityContext"))

    def _look(self, context: Mapping) -> None:
        said_already = _said_already(context)
        for name, bad in (
            ("runAsUser", "0"),
            ("allowPrivilegeEscalation", "true"),
            ("runAsNonRoot", "false"),
        ):
            key, value = context.key(name), context.scalar(name)
            if name in said_already:
                continue
            if key is not None and value is not None and value.value == bad:
                # An image may still name another user.
                severity = Severity.INFO if name == "runAsNonRoot" else None
                self.report_at(
                    key.start, value.end, f"{name}: {bad} lets the program be root", severity=severity
                )


def _said_already(context: Mapping) -> set[str]:
    """Settings that another one of the same context includes."""
    out = {"runAsNonRoot"} if context.text("runAsUser") == "0" else set()
    return out | ({"allowPrivilegeEscalation"} if context.text("privileged") == "true" else set())
