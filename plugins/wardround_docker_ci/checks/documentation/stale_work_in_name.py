"""DC161."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround_docker_ci.check import STEPS, CiCheck
from wardround_docker_ci.docdrift.step_names import stale_targets, stale_work
from wardround_docker_ci.file_kinds import FileKind


class StaleWorkInName(CiCheck):
    """A step or job that is named after one kind of work does another since this change.

    A step called "Lint" that checks types now fails under the wrong name, and everybody believes that the
    linter still runs. Rename it, and see whether the other work is done anywhere else.
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
            message = f'the name says "{one.said}", but this change runs {one.now} in place of what does that'
            self.report_at(one.start, one.end, message)
        for one in stale_targets(self.file, self.source):
            message = f'the name says "{one.said}", but this change put "{one.now}" in its place'
            self.report_at(one.start, one.end, message)
