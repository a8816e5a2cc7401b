"""DC052."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_docker_ci.check import WORKFLOW, CiCheck


class ExcessivePermissions(CiCheck):
    """The workflow's token may write everything.

    A hostile dependency or action in any of its steps can then push code, publish releases and change
    settings. Say `permissions: contents: read` at the top, and in each job what it needs beyond that.
    """

    ID = "DC052"
    NAME = "excessive-permissions"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "excessive-permissions"
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = WORKFLOW
    NEEDS = ("write-all",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("on: push\npermissions: read-all\njobs: {}\n", path=".github/workflows/a.yml"),
        Valid("on: push\npermissions: {}\njobs: {}\n", path=".github/workflows/a.yml"),
        Valid(
            "on: push\npermissions:\n  contents: write # not write-all\njobs: {}\n",
            path=".github/workflows/a.yml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "on: push\npermissions: write-all\njobs: {}\n", line=2, column=14, path=".github/workflows/a.yml"
        ),
        Invalid(
            "on: push\njobs:\n  a:\n    permissions: write-all\n    runs-on: x\n    steps: []\n",
            line=4,
            column=18,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: push\npermissions: 'write-all'\njobs: {}\n",
            line=2,
            column=15,
            path=".github/workflows/a.yml",
        ),
    ]

    def run(self) -> None:
        for node in (self.file.workflow.root, *(job.node for job in self.file.workflow.jobs)):
            said = node.scalar("permissions")
            if said is not None and said.value == "write-all":
                text = self.file.passage(said)
                self.report_at(text.start, text.end, "every step may write everything in the repository")
