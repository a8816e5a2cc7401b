"""DC217."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_docker_ci.analysis.secret_names import is_secret_name
from wardround_docker_ci.check import TEMPLATE, CiCheck

_VARIABLE = LazyPattern(
    r"^[ \t]*-[ \t]*name:[ \t]*[\"']?(\w+)[\"']?[ \t]*\n"
    r"[ \t]*(value:[ \t]*[\"']?\{\{[^\n]*?\.Values\.([\w.]+)[^\n]*)$",
    re.MULTILINE,
)


class SecretInPodManifest(CiCheck):
    """The chart writes a secret into the pod's manifest.

    Whoever may look at pods or deployments reads it there, and so does every tool that stores manifests. Put
    it into a Secret and take it from there: `valueFrom.secretKeyRef`.
    """

    ID = "DC217"
    NAME = "secret-in-pod-manifest"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "secret-in-manifest"
    TRIED_ON = "trees of 27 repositories: no hit"
    KINDS = TEMPLATE
    NEEDS = ("value:",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: {{ .Chart.Name }}\n    env:\n"
            "    - name: DB_HOST\n      value: {{ .Values.db.host }}\n",
            path="charts/a/templates/a.yaml",
        ),
        Valid(
            "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: {{ .Chart.Name }}\n    env:\n"
            "    - name: DB_PASSWORD\n      valueFrom:\n"
            "        secretKeyRef: {name: {{ .Values.db.secret }}, key: password}\n",
            path="charts/a/templates/a.yaml",
        ),
        Valid(
            "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: {{ .Chart.Name }}\n    env:\n"
            "    - name: DB_PASSWORD_FILE\n      value: {{ .Values.db.passwordFile }}\n",
            path="charts/a/templates/a.yaml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: {{ .Chart.Name }}\n    env:\n"
            "    - name: DB_PASSWORD\n      value: {{ .Values.db.password | quote }}\n",
            line=8,
            column=7,
            path="charts/a/templates/a.yaml",
        ),
        Invalid(
            "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: {{ .Chart.Name }}\n    env:\n"
            '    - name: API_TOKEN\n      value: "{{ .Values.apiToken }}"\n',
            line=8,
            column=7,
            path="charts/a/templates/a.yaml",
        ),
        Invalid(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: {{ .Release.Name }}}\nspec:\n"
            "  template:\n    spec:\n      containers:\n        - name: a\n          env:\n"
            "            - name: SMTP_PASSWORD\n"
            '              value: {{ required "smtp.password" .Values.smtp.password }}\n',
            line=11,
            column=15,
            path="charts/a/templates/a.yaml",
        ),
    ]

    def run(self) -> None:
        for found in _VARIABLE.finditer(self.file.text):
            name, _, value = found.groups()
            if is_secret_name(name) and is_secret_name(value.rpartition(".")[2]):
                self.report_at(found.start(2), found.end(2), f"{name} stands in the manifest in clear")
