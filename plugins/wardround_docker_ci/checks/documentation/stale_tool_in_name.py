"""DC104: stale tool in name."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import STEPS, CiCheck
from wardround_docker_ci.docdrift.step_names import stale_tools
from wardround_docker_ci.file_kinds import FileKind


class StaleToolInName(CiCheck):
    """A change replaces a tool, and the name of the step or job still contains the old one.

    Readers of a run's log look for the wrong tool. Change the name in the same commit.
    """

    ID = "DC104"
    NAME = "stale-tool-in-name"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    KINDS = STEPS | {FileKind.GITLAB_CI}
    NEEDS = ("name:", "script:")
    CASE_PATH = ".github/workflows/ci.yml"
    VALID = [
        code("""
            on: push
            jobs:
              lint:
                steps:
                  - name: Run flake8
                    run: |
                      ruff check
        """),
        code(
            """
            on: push
            jobs:
              lint:
                steps:
                  - name: Lint
                    run: |
                      ruff check
            """,
            base="""
            on: push
            jobs:
              lint:
                steps:
                  - name: Lint
                    run: |
                      flake8
            """,
        ),
    ]
    INVALID = [
        code(
            """
            on: push
            jobs:
              lint:
                steps:
                  - name: Run «flake8»
                    run: |
                      ruff check .
            """,
            base="""
            on: push
            jobs:
              lint:
                steps:
                  - name: Run flake8
                    run: |
                      flake8 src
            """,
        ),
        code(
            """
            «yarn» test:
              script:
                - pnpm test
            """,
            path=".gitlab-ci.yml",
            base="""
            yarn test:
              script:
                - yarn test
            """,
        ),
    ]

    def run(self) -> None:
        for one in stale_tools(self.file, self.source):
            self.report_at(
                one.start,
                one.end,
                f'the name contains "{one.term}", but this change runs {one.now}; rename it',
            )
