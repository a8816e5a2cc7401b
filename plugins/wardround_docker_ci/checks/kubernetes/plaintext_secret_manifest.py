"""DC101."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround.languages.yaml.tree import Scalar
from wardround_docker_ci.analysis.secret_names import is_placeholder, is_real_secret, masked
from wardround_docker_ci.check import KUBERNETES, CiCheck
from wardround_docker_ci.models.kubernetes import objects


class PlaintextSecretManifest(CiCheck):
    """A Secret is kept in the repository with its values.

    Base64 hides nothing: everybody who can read the repository has it, and its history keeps it. Revoke it,
    and store it sealed, encrypted, or outside.
    """

    ID = "DC101"
    NAME = "plaintext-secret-manifest"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "hardcoded-secret"
    MASKED = True
    TRIED_ON = "trees of 27 repositories: 5 hits; 640 commits of 16 that touch such files: 0"
    KINDS = KUBERNETES
    NEEDS = ("Secret",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("apiVersion: v1\nkind: Secret\nstringData:\n  password: ${PASSWORD}\n", path="secret.yaml"),
        Valid("apiVersion: v1\nkind: Secret\ndata:\n  password: Y2hhbmdlbWU=\n", path="secret.yaml"),
        Valid(
            "apiVersion: v1\nkind: SealedSecret\ndata:\n  password: Z2s3UnQyUXc5ekxw\n", path="secret.yaml"
        ),
        Valid(
            "apiVersion: v1\nkind: Secret\ndata:\n  password: ENC[AES256_GCM,data:gk7Rt2Qw9zLp]\nsops: {}\n",
            path="s.yaml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "apiVersion: v1\nkind: Secret\nstringData:\n  password: gk7Rt2Qw9zLp\n",
            line=4,
            column=13,
            path="secret.yaml",
        ),
        Invalid(
            "apiVersion: v1\nkind: Secret\ndata:\n  password: Z2s3UnQyUXc5ekxw\n",
            line=4,
            column=13,
            path="secret.yaml",
        ),
        Invalid(
            "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n"
            "  stringData: {a: 'gk7Rt2Qw9zLp'}\n",
            line=6,
            column=20,
            path="secret.yaml",
        ),
    ]

    def run(self) -> None:
        for one in objects(self.file.documents):
            if one.text("kind") != "Secret" or one.get("sops") is not None:
                continue
            for part, is_coded in (("data", True), ("stringData", False)):
                for key, value in one.mapping(part).entries:
                    if isinstance(value, Scalar) and not value.style.startswith(("|", ">")):
                        self._look(key, value, is_coded=is_coded)

    def _look(self, key: Scalar, value: Scalar, *, is_coded: bool) -> None:
        text = _decoded(value.value) if is_coded else value.value
        if text is not None and not is_placeholder(text) and is_real_secret(text):
            at = self.file.passage(value)
            self.report_at(at.start, at.end, f'"{key.value}" stands here in clear ({masked(text)})')


def _decoded(value: str) -> str | None:
    try:
        return base64.b64decode(value, validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return None
