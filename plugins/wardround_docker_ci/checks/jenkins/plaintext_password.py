from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround.text.secret_names import is_secret_name
from wardround_docker_ci.analysis.secret_values import is_real_secret, mask
from wardround_docker_ci.check import JENKINS, CiCheck


class PlaintextPassword(CiCheck):
    """A pipeline contains a password in plain text.

    Anyone who can read the repository or its history has it. Revoke it, store it in Jenkins and bind it
    with `credentials()` or `withCredentials`.
    """

    ID = "DC092"
    NAME = "plaintext-password"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "hardcoded-secret"
    MASKED = True
    KINDS = JENKINS
    CASE_PATH = "Jenkinsfile"
    VALID = [
        code("""
            node { def token = env.TOKEN }
        """),
        code("""
            node { def password = 'changeme' }
        """),
    ]
    INVALID = [
        code("""
            node { def dbPassword = '«gk7Rt2Qw9zLp»' }
        """),
        code("""
            node { login(user: 'a', password: "«gk7Rt2Qw9zLp»") }
        """),
    ]

    def run(self) -> None:
        tokens = self.file.jenkinsfile.tokens
        for name, sign, value in zip(tokens, tokens[1:], tokens[2:], strict=False):
            is_assigned = name.kind == "word" and sign.text in ("=", ":") and value.kind == "string"
            if not is_assigned or name.is_in("environment") or value.interpolations:
                continue
            if is_secret_name(name.text) and is_real_secret(value.text):
                end = value.inside + len(value.text)
                self.report_at(
                    value.inside,
                    end,
                    f"{name.text} is in plain text ({mask(value.text)}); bind a credential",
                )
