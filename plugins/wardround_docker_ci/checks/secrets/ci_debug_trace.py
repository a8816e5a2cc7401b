from __future__ import annotations

from wardround.findings import Plane
from wardround.rules.cases import code
from wardround_docker_ci.check import GITLAB, WORKFLOW, CiCheck
from wardround_docker_ci.file_kinds import FileKind

_SWITCHES = {
    FileKind.GITLAB_CI: ("CI_DEBUG_TRACE", "CI_DEBUG_SERVICES"),
    FileKind.WORKFLOW: ("ACTIONS_STEP_DEBUG", "ACTIONS_RUNNER_DEBUG"),
}


class CiDebugTrace(CiCheck):
    """Debug tracing writes every variable to the job's log, including secrets.

    `CI_DEBUG_TRACE` of GitLab and `ACTIONS_STEP_DEBUG` of GitHub print the environment and each command
    that runs; values derived from secrets are not masked. Set it manually for one run, not in the file.
    """

    ID = "DC080"
    NAME = "ci-debug-trace"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "secret-in-log"
    KINDS = GITLAB | WORKFLOW
    NEEDS = ("CI_DEBUG", "ACTIONS_STEP_DEBUG", "ACTIONS_RUNNER_DEBUG")
    CASE_PATH = ".gitlab-ci.yml"
    VALID = [
        code("""
            variables:
              CI_DEBUG_TRACE: 'false'
        """),
        code("""
            # CI_DEBUG_TRACE: true
            a:
              script: b
        """),
    ]
    INVALID = [
        code(
            """
            on: push
            env:
              ACTIONS_STEP_DEBUG: «true»
            jobs: {}
            """,
            path=".github/workflows/a.yml",
        ),
        code("""
            variables:
              CI_DEBUG_TRACE: '«true»'
        """),
    ]

    def run(self) -> None:
        for variable in self.file.variables:
            if variable.name in _SWITCHES[self.file.kind] and variable.value.lower() in ("true", "1"):
                self.report_at(
                    variable.start,
                    variable.end,
                    f"{variable.name} writes every variable to the log; remove it",
                )
