"""DC092."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_docker_ci.analysis.secret_names import is_real_secret, is_secret_name, masked
from wardround_docker_ci.check import JENKINS, CiCheck

_TYPED = "gk7Rt2Qw" + "9zLp"
"""Stands for a password in the cases; in one piece it would be reported here."""


class PlaintextPassword(CiCheck):
    """A password stands in the pipeline in clear.

    Everybody who can read the repository has it, and its history keeps it. Revoke it, store it in Jenkins
    and bind it with `credentials()` or `withCredentials`.
    """

    ID = "DC092"
    NAME = "plaintext-password"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "hardcoded-secret"
    MASKED = True
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = JENKINS
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("node { def token = env.TOKEN }\n", path="Jenkinsfile"),
        Valid("node { def password = 'changeme' }\n", path="Jenkinsfile"),
        Valid("node { git url: 'a', credentialsId: 'gk7Rt2Qw9zLp' }\n", path="Jenkinsfile"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(f"node {{ def dbPassword = '{_TYPED}' }}\n", line=1, column=26, path="Jenkinsfile"),
        Invalid(
            f"node {{ login(user: 'a', password: \"{_TYPED}\") }}\n", line=1, column=36, path="Jenkinsfile"
        ),
        Invalid(f"API_TOKEN = '{_TYPED}'\n", line=1, column=14, path="Jenkinsfile"),
    ]

    def run(self) -> None:
        tokens = self.file.jenkinsfile.tokens
        for name, sign, value in zip(tokens, tokens[1:], tokens[2:], strict=False):
            is_given = name.kind == "word" and sign.text in ("=", ":") and value.kind == "string"
            if not is_given or name.is_in("environment") or value.interpolations:
                continue
            if is_secret_name(name.text) and is_real_secret(value.text):
                end = value.inside + len(value.text)
                self.report_at(value.inside, end, f"{name.text} stands here in clear ({masked(value.text)})")
