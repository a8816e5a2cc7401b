"""DC054."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
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
    TRIED_ON = (
        "trees of 27 repositories: 10 hits; "
        "640 commits of 16 that touch such files: 0; right, but often the same organisation, so info"
    )
    KINDS = WORKFLOW
    NEEDS = ("inherit",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "on: push\njobs:\n  a:\n    uses: ./.github/workflows/b.yml\n    secrets: inherit\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\njobs:\n  a:\n    uses: o/r/.github/workflows/b.yml@v1\n    secrets:\n"
            "      A: ${{ secrets.A }}\n",
            path=".github/workflows/a.yml",
        ),
        Valid("on: push\njobs:\n  inherit:\n    runs-on: x\n    steps: []\n", path=".github/workflows/a.yml"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "on: push\njobs:\n  a:\n    uses: o/r/.github/workflows/b.yml@v1\n    secrets: inherit\n",
            line=5,
            column=14,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            'on: push\njobs:\n  a:\n    secrets: "inherit"\n    uses: o/r/.github/workflows/b.yml@v1\n',
            line=4,
            column=15,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: push\njobs:\n  b:\n    runs-on: x\n    steps: []\n  a:\n"
            "    uses: o/r/.github/workflows/b.yml@main\n"
            "    secrets: inherit\n",
            line=8,
            column=14,
            path=".github/workflows/a.yml",
        ),
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
