"""DC103: stale version in name."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround_docker_ci.check import STEPS, CiCheck
from wardround_docker_ci.docdrift.step_names import stale_versions
from wardround_docker_ci.file_kinds import FileKind


class StaleVersionInName(CiCheck):
    """A change updates a version, and the name of the step or job still contains the old one.

    Readers of a run's log believe the version in the name. Change the name in the same commit, or remove
    the version from it.
    """

    ID = "DC103"
    NAME = "stale-version-in-name"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    KINDS = STEPS | {FileKind.GITLAB_CI}
    NEEDS = ("name:", "script:")
    CASE_PATH = ".github/workflows/ci.yml"
    VALID = [
        code("""
            on: push
            jobs:
              test:
                steps:
                  - name: Set up Python 3.9
                    uses: actions/setup-python@v5
                    with:
                      python-version: '3.12'
        """),
        code(
            """
            on: push
            jobs:
              test:
                steps:
                  - name: Set up Python
                    uses: actions/setup-python@v5
                    with:
                      python-version: '3.12'
            """,
            base="""
            on: push
            jobs:
              test:
                steps:
                  - name: Set up Python
                    uses: actions/setup-python@v5
                    with:
                      python-version: '3.9'
            """,
        ),
    ]
    INVALID = [
        code(
            """
            on: push
            jobs:
              test:
                name: "Tests (Ubuntu «22.04»)"
                runs-on: ubuntu-24.04
                steps: []
            """,
            base="""
            on: push
            jobs:
              test:
                name: "Tests (Ubuntu 22.04)"
                runs-on: ubuntu-22.04
                steps: []
            """,
        ),
        code(
            """
            python-«3.9»:
              image: python:3.12
              script:
                - make test
            """,
            path=".gitlab-ci.yml",
            base="""
            python-3.9:
              image: python:3.9
              script:
                - make test
            """,
        ),
    ]

    def run(self) -> None:
        for one in stale_versions(self.file, self.source):
            self.report_at(
                one.start,
                one.end,
                f'the name contains "{one.term}", but this change sets {one.now}; rename it',
            )
