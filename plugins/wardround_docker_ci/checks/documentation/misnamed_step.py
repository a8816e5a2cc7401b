"""DC480: misnamed step."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround_docker_ci.check import STEPS, CiCheck
from wardround_docker_ci.docdrift.misnamed_steps import misnamed
from wardround_docker_ci.docdrift.step_names import named
from wardround_docker_ci.file_kinds import FileKind


class MisnamedStep(CiCheck):
    """A step is named after work that it does not do, or after another environment than it uses.

    The name or the command was copied from another step. A reader of the run's log believes that the
    migrations ran, or that it was staging. Rename the step, or correct its command.
    """

    ID = "DC480"
    NAME = "misnamed-step"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "misleading-name"
    KINDS = STEPS | {FileKind.GITLAB_CI}
    NEEDS = ("name:", "script:")
    CASE_PATH = ".github/workflows/ci.yml"
    VALID = [
        code("""
            on: push
            jobs:
              check:
                steps:
                  - name: Run the migrations
                    run: kubectl exec api -- ./manage.py migrate
        """),
        code("""
            on: push
            jobs:
              check:
                steps:
                  - name: Deploy to staging
                    run: helm upgrade api chart -f staging.yaml
        """),
    ]
    INVALID = [
        code("""
            on: push
            jobs:
              check:
                steps:
                  - name: Apply the database «migrations»
                    run: helm upgrade api chart --install
        """),
        code("""
            on: push
            jobs:
              check:
                steps:
                  - name: Run the «unit tests»
                    run: ruff check . && mypy src
        """),
    ]

    def run(self) -> None:
        for one in named(self.file.root, self.file.kind):
            found = misnamed(one, is_job=self.file.kind is FileKind.GITLAB_CI)
            if found is None:
                continue
            passage = self.file.passage(one.name)
            at = passage.text.find(found.term)
            if at < 0:
                continue
            start = passage.start + at
            line, _ = self.source.position(start)
            if self.source.is_added(line) or any(
                self.source.is_added(n) for n in range(line, line + 3) if n <= len(self.source.lines)
            ):
                term = f'the name contains "{found.term}", but the step runs {found.now}; rename it'
                self.report_at(start, start + len(found.term), term)
