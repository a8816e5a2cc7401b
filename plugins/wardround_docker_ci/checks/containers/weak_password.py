from __future__ import annotations

import re

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.text.secret_names import is_secret_name
from wardround_docker_ci.analysis.deployment_kind import FOR_TRIALS, LIVE, restarts_with_machine
from wardround_docker_ci.check import COMPOSE, CiCheck

_WEAK = LazyPattern(
    r"(?:postgres(?:ql)?|admin|root|mysql|mariadb|mongo(?:db)?|redis|rabbit(?:mq)?|minio(?:admin|123)?|guest|elastic"
    r"|grafana|keycloak|change[-_]?me|secret|s3cret|password|passw0rd|pass|pwd|user|test|qwerty|letmein|toor"
    r"|(?:password|admin|root|pass|secret)?123(?:4(?:5(?:6(?:7(?:8(?:9)?)?)?)?)?)?)!?$",
    re.IGNORECASE,
)
_IN_URL = LazyPattern(r"\b[a-z][a-z0-9+.-]*://[^\s/:@]+:([^\s/@$]+)@", re.IGNORECASE)
_DEFAULT = LazyPattern(r"\$\{\w+:?-([^}]*)\}$")


class WeakPassword(CiCheck):
    """A deployed service has a well-known default password.

    Anyone who can reach its port can log in. Read the password from the environment and refuse to start
    without it: `${DB_PASSWORD:?}`, without a default.
    """

    ID = "DC213"
    NAME = "weak-password"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "hardcoded-secret"
    KINDS = COMPOSE
    NEEDS = ("PASS", "pass", "SECRET", "TOKEN", "PWD", "://")
    CASE_PATH = "compose.yml"
    VALID = [
        code("""
            services:
              d:
                image: postgres:17
                restart: always
                environment: {POSTGRES_PASSWORD: '${P:?}'}
        """),
        code("""
            services:
              d:
                image: postgres:17
                environment: {POSTGRES_PASSWORD: postgres}
        """),
    ]
    INVALID = [
        code("""
            services:
              d:
                image: postgres:17
                restart: unless-stopped
                environment:
                  POSTGRES_PASSWORD: «postgres»
        """),
        code(
            """
            services:
              d:
                image: minio/minio:1
                environment:
                  - MINIO_ROOT_PASSWORD=«minioadmin»
            """,
            path="deploy/compose.yml",
        ),
    ]

    def run(self) -> None:
        if FOR_TRIALS.search(self.source.path):
            return
        is_live = LIVE.search(self.source.path) is not None
        for service in self.file.services:
            for name, value, start, end in service.environment(self.file.text):
                password = _weak_password(name, value) if is_live or restarts_with_machine(service) else ""
                if password:
                    message = f'"{password}" is a well-known default password; use a secret'
                    self.report_at(start, end, message)


def _weak_password(name: str, value: str) -> str:
    """Return the well-known password in a variable; empty if none."""
    default = _DEFAULT.match(value)
    text = default.group(1) if default is not None else value
    in_url = _IN_URL.search(text)
    if in_url is not None and _WEAK.match(in_url.group(1)):
        return in_url.group(1)
    return text if is_secret_name(name) and _WEAK.match(text) else ""
