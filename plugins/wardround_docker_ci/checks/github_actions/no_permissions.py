"""DC053."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_docker_ci.check import WORKFLOW, CiCheck


class NoPermissions(CiCheck):
    """The workflow does not say what its token may do, so the repository's setting decides.

    In many repositories that is still write access to everything. Say `permissions: contents: read` at the
    top.
    """

    ID = "DC053"
    NAME = "no-permissions"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "excessive-permissions"
    TRIED_ON = "trees of 27 repositories: 89 hits; 640 commits of 16 that touch such files: 1"
    KINDS = WORKFLOW
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "on: push\npermissions:\n  contents: read\njobs:\n  a:\n    runs-on: x\n    steps: []\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\njobs:\n  a:\n    permissions: {}\n    runs-on: x\n    steps: []\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: workflow_call\njobs:\n  a:\n    runs-on: x\n    steps: []\n", path=".github/workflows/a.yml"
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps: []\n",
            line=3,
            column=3,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: [push, pull_request]\njobs:\n  a:\n    permissions: {}\n    runs-on: x\n    steps: []\n"
            "  b:\n    runs-on: x\n    steps: []\n",
            line=7,
            column=3,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: push\njobs:\n  a:\n    uses: ./.github/workflows/b.yml\n",
            line=3,
            column=3,
            path=".github/workflows/a.yml",
        ),
    ]

    def run(self) -> None:
        workflow = self.file.workflow
        if workflow.root.key("permissions") is not None or list(workflow.triggers) == ["workflow_call"]:
            return
        for job in workflow.jobs:
            if job.key is not None and job.node.get("permissions") is None:
                self.report_at(
                    job.key.start, job.key.end, f'what the token of job "{job.name}" may do is not said'
                )
                return
