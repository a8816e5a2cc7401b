"""DC054."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround_docker_ci.check import WORKFLOW, CiCheck


class SecretsInherited(CiCheck):
    """Every secret of the repository goes to a workflow of another repository.

    Whoever can change that workflow has them all, needed or not. Name the secrets it needs under `secrets:`.
    """

    ID = "DC054"
    NAME = "secrets-inherited"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "secrets-inherited"
    KINDS = WORKFLOW
    NEEDS = ("inherit",)
    CASE_PATH = ".github/workflows/a.yml"
    VALID = [
        code("""
            on: push
            jobs:
              a:
                uses: ./.github/workflows/b.yml
                secrets: inherit
        """),
        code("""
            on: push
            jobs:
              a:
                uses: o/r/.github/workflows/b.yml@v1
                secrets:
                  A: ${{ secrets.A }}
        """),
    ]
    INVALID = [
        code("""
            on: push
            jobs:
              a:
                uses: o/r/.github/workflows/b.yml@v1
                secrets: «inherit»
        """),
        code("""
            on: push
            jobs:
              a:
                secrets: "«inherit»"
                uses: o/r/.github/workflows/b.yml@v1
        """),
    ]

    def run(self) -> None:
        for job in self.file.workflow.jobs:
            said = job.node.scalar("secrets")
            called = job.node.text("uses")
            if (
                said is not None
                and said.value == "inherit"
                and called
                and not called.startswith(("./", "$/"))
            ):
                text = self.file.passage(said)
                self.report_at(text.start, text.end, f"every secret goes to {called}")
