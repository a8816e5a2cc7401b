from __future__ import annotations

import re

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.text.secret_names import is_secret_name
from wardround_docker_ci.analysis.secret_values import is_real_secret, mask
from wardround_docker_ci.check import COMPOSE, DOCKERFILE, GITLAB, JENKINS, KUBERNETES, WORKFLOW, CiCheck
from wardround_docker_ci.file_kinds import FileKind

_TRIAL = LazyPattern(
    r"(?:^|[/._-])(?:ci|tests?|e2e|dev|development|examples?|samples?|local|demo)(?:[/._-]|$)"
)
_IN_URL = LazyPattern(r"[a-z][a-z0-9+.-]*://[^\s/:@]*:([^\s/@]+)@", re.IGNORECASE)


class HardcodedSecretVariable(CiCheck):
    """A variable contains a secret in plain text.

    Anyone who can read the repository has it, and its history keeps it after the line is removed. Revoke
    it, and read it from the platform's secret store.
    """

    ID = "DC039"
    NAME = "hardcoded-secret-variable"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "hardcoded-secret"
    MASKED = True
    KINDS = DOCKERFILE | COMPOSE | GITLAB | JENKINS | KUBERNETES | WORKFLOW
    CASE_PATH = "compose.yml"
    VALID = [
        code("""
            services:
              a:
                environment:
                  DB_PASSWORD: ${DB_PASSWORD}
        """),
        code("""
            services:
              a:
                environment:
                  - POSTGRES_PASSWORD=postgres
        """),
    ]
    INVALID = [
        code("""
            services:
              a:
                environment:
                  API_TOKEN: «gk7Rt2Qw9zLp»
        """),
        code("""
            services:
              a:
                environment:
                  - JWT_SECRET=«gk7Rt2Qw9zLp»
        """),
    ]

    def run(self) -> None:
        # Files for a developer's machine or a test often have secrets that protect nothing.
        is_trial = self.file.kind is FileKind.COMPOSE or _TRIAL.search(self.source.path)
        severity = Severity.WARN if is_trial else None
        for variable in self.file.variables:
            inside = _IN_URL.match(variable.value)
            value = inside.group(1) if inside else variable.value
            if (inside or is_secret_name(variable.name)) and is_real_secret(value):
                message = f"{variable.name} is a plain-text secret ({mask(value)}); use a secret store"
                self.report_at(variable.start, variable.end, message, severity=severity)
