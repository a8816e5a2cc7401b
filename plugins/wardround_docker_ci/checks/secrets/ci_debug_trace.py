"""DC080."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_docker_ci.check import GITLAB, WORKFLOW, CiCheck
from wardround_docker_ci.file_kinds import FileKind

_SWITCHES = {
    FileKind.GITLAB_CI: ("CI_DEBUG_TRACE", "CI_DEBUG_SERVICES"),
    FileKind.WORKFLOW: ("ACTIONS_STEP_DEBUG", "ACTIONS_RUNNER_DEBUG"),
}


class CiDebugTrace(CiCheck):
    """The job's log holds every variable in clear, secrets included.

    `CI_DEBUG_TRACE` of GitLab and `ACTIONS_STEP_DEBUG` of GitHub print the environment and each command as it
    is run, past all masking of what is built from secrets. Set it for one run by hand, not in the file.
    """

    ID = "DC080"
    NAME = "ci-debug-trace"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "secret-in-log"
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = GITLAB | WORKFLOW
    NEEDS = ("CI_DEBUG", "ACTIONS_STEP_DEBUG", "ACTIONS_RUNNER_DEBUG")
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("variables:\n  CI_DEBUG_TRACE: 'false'\n", path=".gitlab-ci.yml"),
        Valid("# CI_DEBUG_TRACE: true\na:\n  script: b\n", path=".gitlab-ci.yml"),
        Valid("variables:\n  MY_CI_DEBUG: 'true'\n", path=".gitlab-ci.yml"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "on: push\nenv:\n  ACTIONS_STEP_DEBUG: true\njobs: {}\n",
            line=3,
            column=23,
            path=".github/workflows/a.yml",
        ),
        Invalid("variables:\n  CI_DEBUG_TRACE: 'true'\n", line=2, column=20, path=".gitlab-ci.yml"),
        Invalid(
            "a:\n  variables:\n    CI_DEBUG_TRACE: true\n  script: b\n",
            line=3,
            column=21,
            path=".gitlab-ci.yml",
        ),
        Invalid('variables:\n  CI_DEBUG_SERVICES: "true"\n', line=2, column=23, path=".gitlab-ci.yml"),
    ]

    def run(self) -> None:
        for variable in self.file.variables:
            if variable.name in _SWITCHES[self.file.kind] and variable.value.lower() in ("true", "1"):
                self.report_at(
                    variable.start, variable.end, f"{variable.name} writes every variable to the log"
                )
