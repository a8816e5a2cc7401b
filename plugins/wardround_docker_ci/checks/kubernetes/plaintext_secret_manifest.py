from __future__ import annotations

import base64
import binascii

from wardround.findings import Plane, Severity
from wardround.languages.yaml.nodes import Scalar
from wardround.rules.cases import code
from wardround_docker_ci.analysis.secret_values import is_placeholder, is_real_secret, mask
from wardround_docker_ci.check import KUBERNETES, CiCheck
from wardround_docker_ci.models.kubernetes import objects


class PlaintextSecretManifest(CiCheck):
    """A Secret is stored in the repository with its values.

    Base64 is not encryption: anyone who can read the repository or its history has them. Revoke them, and
    store them sealed, encrypted, or outside.
    """

    ID = "DC101"
    NAME = "plaintext-secret-manifest"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "hardcoded-secret"
    MASKED = True
    KINDS = KUBERNETES
    NEEDS = ("Secret",)
    CASE_PATH = "secret.yaml"
    VALID = [
        code("""
            apiVersion: v1
            kind: Secret
            stringData:
              password: ${PASSWORD}
        """),
        code("""
            apiVersion: v1
            kind: Secret
            data:
              password: Y2hhbmdlbWU=
        """),
    ]
    INVALID = [
        code("""
            apiVersion: v1
            kind: Secret
            stringData:
              password: «gk7Rt2Qw9zLp»
        """),
        code("""
            apiVersion: v1
            kind: Secret
            data:
              password: «Z2s3UnQyUXc5ekxw»
        """),
    ]

    def run(self) -> None:
        for resource in objects(self.file.documents):
            if resource.text("kind") != "Secret" or resource.get("sops") is not None:
                continue
            for part, is_coded in (("data", True), ("stringData", False)):
                for key, value in resource.mapping(part).entries:
                    if isinstance(value, Scalar) and not value.style.startswith(("|", ">")):
                        self._check(key, value, is_coded=is_coded)

    def _check(self, key: Scalar, value: Scalar, *, is_coded: bool) -> None:
        text = _decode_base64(value.value) if is_coded else value.value
        if text is not None and not is_placeholder(text) and is_real_secret(text):
            at = self.file.passage(value)
            self.report_at(
                at.start, at.end, f'"{key.value}" is in plain text ({mask(text)}); store it encrypted'
            )


def _decode_base64(value: str) -> str | None:
    try:
        return base64.b64decode(value, validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return None
