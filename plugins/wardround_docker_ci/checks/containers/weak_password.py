"""DC213."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_docker_ci.analysis.deployment_kind import FOR_TRIALS, LIVE, stays
from wardround_docker_ci.analysis.secret_names import is_secret_name
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
    """A service that is meant to keep running has a password everybody tries first.

    Whoever reaches its port is in. Take the password from the environment and refuse to start without it:
    `${DB_PASSWORD:?}`, without a default.
    """

    ID = "DC213"
    NAME = "weak-password"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "hardcoded-secret"
    TRIED_ON = "trees of 27 repositories: 7 hits in files for running the product oneself, true"
    KINDS = COMPOSE
    NEEDS = ("PASS", "pass", "SECRET", "TOKEN", "PWD", "://")
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "services:\n  d:\n    image: postgres:17\n    restart: always\n"
            "    environment: {POSTGRES_PASSWORD: '${P:?}'}\n",
            path="compose.yml",
        ),
        Valid(
            "services:\n  d:\n    image: postgres:17\n    environment: {POSTGRES_PASSWORD: postgres}\n",
            path="compose.yml",
        ),
        Valid(
            "services:\n  d:\n    image: postgres:17\n    restart: always\n"
            "    environment: {POSTGRES_PASSWORD: postgres}\n",
            path="compose.dev.yml",
        ),
        Valid(
            "services:\n  d:\n    image: a:1\n    restart: always\n"
            "    environment: {PASSWORD_POLICY: test}\n",
            path="compose.yml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "services:\n  d:\n    image: postgres:17\n    restart: unless-stopped\n    environment:\n"
            "      POSTGRES_PASSWORD: postgres\n",
            line=6,
            column=26,
            path="compose.yml",
        ),
        Invalid(
            "services:\n  d:\n    image: minio/minio:1\n    environment:\n"
            "      - MINIO_ROOT_PASSWORD=minioadmin\n",
            line=5,
            column=29,
            path="deploy/compose.yml",
        ),
        Invalid(
            "services:\n  g:\n    image: grafana/grafana:11\n    restart: always\n    environment:\n"
            "      GF_SECURITY_ADMIN_PASSWORD: ${GRAFANA:-admin}\n",
            line=6,
            column=35,
            path="compose.yml",
        ),
        Invalid(
            "services:\n  a:\n    image: a:1\n    restart: always\n    environment:\n"
            "      - DATABASE_URL=postgres://postgres:postgres@db/app\n",
            line=6,
            column=22,
            path="compose.yml",
        ),
    ]

    def run(self) -> None:
        if FOR_TRIALS.search(self.source.path):
            return
        is_live = LIVE.search(self.source.path) is not None
        for service in self.file.services:
            if is_live or stays(service):
                for name, value, start, end in service.environment(self.file.text):
                    default = _DEFAULT.match(value)
                    told = default.group(1) if default is not None else value
                    in_url = _IN_URL.search(told)
                    if in_url is not None and _WEAK.match(in_url.group(1)):
                        said = f'"{in_url.group(1)}" is among the first passwords anybody tries'
                        self.report_at(start, end, said)
                    elif is_secret_name(name) and _WEAK.match(told):
                        self.report_at(start, end, f'"{told}" is among the first passwords anybody tries')
