"""DC161: stale work in name."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround_docker_ci.check import STEPS, CiCheck
from wardround_docker_ci.docdrift.step_names import stale_targets, stale_work
from wardround_docker_ci.file_kinds import FileKind


class StaleWorkInName(CiCheck):
    """A change replaces the work of a step or job that is named after the old work.

    A step called "Lint" that checks types now fails under the wrong name, and readers believe that the
    linter still runs. Rename it, and check that the old work is still done elsewhere.
    """

    ID = "DC161"
    NAME = "stale-work-in-name"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    KINDS = STEPS | {FileKind.GITLAB_CI}
    NEEDS = ("name:", "script:")
    CASE_PATH = ".github/workflows/ci.yml"
    VALID = [
        code("""
            on: push
            jobs:
              check:
                steps:
                  - name: Lint
                    run: pnpm tsc --noEmit
        """),
        code(
            """
            on: push
            jobs:
              check:
                steps:
                  - name: Lint
                    run: ruff check
            """,
            base="""
            on: push
            jobs:
              check:
                steps:
                  - name: Lint
                    run: flake8
            """,
        ),
    ]
    INVALID = [
        code(
            """
            on: push
            jobs:
              check:
                steps:
                  - name: «Lint»
                    run: pnpm tsc --noEmit
            """,
            base="""
            on: push
            jobs:
              check:
                steps:
                  - name: Lint
                    run: pnpm eslint . --max-warnings 0
            """,
        ),
        code(
            """
            on: push
            jobs:
              check:
                steps:
                  - name: Run the «unit tests»
                    run: ruff check .
            """,
            base="""
            on: push
            jobs:
              check:
                steps:
                  - name: Run the unit tests
                    run: pytest -q
            """,
        ),
    ]

    def run(self) -> None:
        for one in stale_work(self.file, self.source):
            message = f'the name contains "{one.term}", but this change runs {one.now} instead; rename it'
            self.report_at(one.start, one.end, message)
        for one in stale_targets(self.file, self.source):
            message = f'the name contains "{one.term}", but this change uses "{one.now}"; rename it'
            self.report_at(one.start, one.end, message)
