"""DC039."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_docker_ci.analysis.secret_names import is_real_secret, is_secret_name, masked
from wardround_docker_ci.check import COMPOSE, DOCKERFILE, GITLAB, JENKINS, KUBERNETES, WORKFLOW, CiCheck
from wardround_docker_ci.file_kinds import FileKind

_TRIAL = LazyPattern(
    r"(?:^|[/._-])(?:ci|tests?|e2e|dev|development|examples?|samples?|local|demo)(?:[/._-]|$)"
)
_IN_URL = LazyPattern(r"[a-z][a-z0-9+.-]*://[^\s/:@]*:([^\s/@]+)@", re.IGNORECASE)


class HardcodedSecretVariable(CiCheck):
    """A variable holds a secret in clear.

    Everybody who can read the repository has it, and its history keeps it when the line is gone. Revoke it,
    and take it from the platform's secret store.
    """

    ID = "DC039"
    NAME = "hardcoded-secret-variable"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "hardcoded-secret"
    MASKED = True
    TRIED_ON = (
        "trees of 27 repositories: 6 hits; "
        "640 commits of 16 that touch such files: 5; test secrets in compose files are warnings"
    )
    KINDS = DOCKERFILE | COMPOSE | GITLAB | JENKINS | KUBERNETES | WORKFLOW
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("services:\n  a:\n    environment:\n      DB_PASSWORD: ${DB_PASSWORD}\n", path="compose.yml"),
        Valid("services:\n  a:\n    environment:\n      - POSTGRES_PASSWORD=postgres\n", path="compose.yml"),
        Valid("variables:\n  API_TOKEN: $CI_JOB_TOKEN\n", path=".gitlab-ci.yml"),
        Valid("pipeline { environment { API_TOKEN = credentials('gk7Rt2Qw9zLp') } }\n", path="Jenkinsfile"),
        Valid("on: push\nenv:\n  NPM_TOKEN: ${{ secrets.NPM }}\njobs: {}\n", path=".github/workflows/a.yml"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "services:\n  a:\n    environment:\n      API_TOKEN: gk7Rt2Qw9zLp\n", 4, 18, path="compose.yml"
        ),
        Invalid(
            "services:\n  a:\n    environment:\n      - JWT_SECRET=gk7Rt2Qw9zLp\n", 4, 20, path="compose.yml"
        ),
        Invalid("variables:\n  API_TOKEN: 'gk7Rt2Qw9zLp'\n", 2, 15, path=".gitlab-ci.yml"),
        Invalid("pipeline { environment { API_TOKEN = 'gk7Rt2Qw9zLp' } }\n", 1, 39, path="Jenkinsfile"),
        Invalid(
            "on: push\nenv:\n  NPM_TOKEN: gk7Rt2Qw9zLp\njobs: {}\n", 3, 14, path=".github/workflows/a.yml"
        ),
        Invalid(
            "services:\n  a:\n    environment:\n      DB: postgres://u:gk7Rt2Qw9zLp@db/x\n",
            4,
            11,
            path="compose.yml",
        ),
        Invalid(
            "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: a\n    env:\n    - name: API_TOKEN\n"
            "      value: gk7Rt2Qw9zLp\n",
            8,
            14,
            path="pod.yaml",
        ),
    ]

    def run(self) -> None:
        # What runs on a developer's machine or in a test often has secrets that guard nothing.
        is_trial = self.file.kind is FileKind.COMPOSE or _TRIAL.search(self.source.path)
        severity = Severity.WARN if is_trial else None
        for variable in self.file.variables:
            inside = _IN_URL.match(variable.value)
            value = inside.group(1) if inside else variable.value
            if (inside or is_secret_name(variable.name)) and is_real_secret(value):
                message = f"{variable.name} holds a secret in clear ({masked(value)})"
                self.report_at(variable.start, variable.end, message, severity=severity)
