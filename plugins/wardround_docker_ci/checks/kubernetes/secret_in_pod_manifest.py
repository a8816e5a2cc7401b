from __future__ import annotations

import re

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.text.secret_names import is_secret_name
from wardround_docker_ci.check import TEMPLATE, CiCheck

_VARIABLE = LazyPattern(
    r"^[ \t]*-[ \t]*name:[ \t]*[\"']?(\w+)[\"']?[ \t]*\n"
    r"[ \t]*(value:[ \t]*[\"']?\{\{[^\n]*?\.Values\.([\w.]+)[^\n]*)$",
    re.MULTILINE,
)


class SecretInPodManifest(CiCheck):
    """A chart writes a secret into the pod's manifest.

    Anyone who can view pods or deployments can read it there, and so can every tool that stores manifests.
    Put it into a Secret and reference that: `valueFrom.secretKeyRef`.
    """

    ID = "DC217"
    NAME = "secret-in-pod-manifest"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "secret-in-manifest"
    KINDS = TEMPLATE
    NEEDS = ("value:",)
    CASE_PATH = "charts/a/templates/a.yaml"
    VALID = [
        code("""
            apiVersion: v1
            kind: Pod
            spec:
              containers:
              - name: {{ .Chart.Name }}
                env:
                - name: DB_HOST
                  value: {{ .Values.db.host }}
        """),
        code("""
            apiVersion: v1
            kind: Pod
            spec:
              containers:
              - name: {{ .Chart.Name }}
                env:
                - name: DB_PASSWORD
                  valueFrom:
                    secretKeyRef: {name: {{ .Values.db.secret }}, key: password}
        """),
    ]
    INVALID = [
        code("""
            apiVersion: v1
            kind: Pod
            spec:
              containers:
              - name: {{ .Chart.Name }}
                env:
                - name: DB_PASSWORD
                  «value: {{ .Values.db.password | quote }}»
        """),
        code("""
            apiVersion: v1
            kind: Pod
            spec:
              containers:
              - name: {{ .Chart.Name }}
                env:
                - name: API_TOKEN
                  «value: "{{ .Values.apiToken }}"»
        """),
    ]

    def run(self) -> None:
        for found in _VARIABLE.finditer(self.file.text):
            name, _, value = found.groups()
            if is_secret_name(name) and is_secret_name(value.rpartition(".")[2]):
                self.report_at(
                    found.start(2), found.end(2), f"{name} is in plain text in the manifest; use secretKeyRef"
                )
