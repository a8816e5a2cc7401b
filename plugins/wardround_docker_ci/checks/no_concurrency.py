"""DC059."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Severity
from wardround.late import LatePattern
from wardround_docker_ci.check import WORKFLOW, CiCheck

_DEPLOYS = LatePattern(r"(?:^|[-_\s])deploy(?:$|[-_\s])", re.IGNORECASE)


class NoConcurrency(CiCheck):
    """Two runs of this deployment can overlap, and the older may finish last.

    What is live is then not what was pushed last. Put the job into a `concurrency` group.
    """

    ID = "DC059"
    NAME = "no-deploy-concurrency"
    SEVERITY = Severity.INFO
    OFF = "Many deployments may overlap without harm, and the file does not say which."
    TRIED_ON = "trees of 27 repositories: 1 hits; 640 commits of 16 that touch such files: 0"
    KINDS = WORKFLOW
    NEEDS = ("deploy",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "on: push\nconcurrency: deploy\njobs:\n  deploy:\n    runs-on: x\n    steps: []\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\njobs:\n  deploy:\n    concurrency: a\n    runs-on: x\n    steps: []\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: workflow_call\njobs:\n  deploy:\n    runs-on: x\n    steps: []\n",
            path=".github/workflows/a.yml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "on: push\njobs:\n  deploy:\n    runs-on: x\n    steps: []\n",
            line=3,
            column=3,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on:\n  push:\njobs:\n  site-deploy:\n    runs-on: x\n    steps: []\n",
            line=4,
            column=3,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps: []\n  deploy_prod:\n    runs-on: x\n"
            "    steps: []\n",
            line=6,
            column=3,
            path=".github/workflows/a.yml",
        ),
    ]

    def run(self) -> None:
        workflow = self.file.workflow
        if workflow.root.get("concurrency") is not None or "push" not in workflow.triggers:
            return
        for job in workflow.jobs:
            if job.key is not None and _DEPLOYS.search(job.name) and job.node.get("concurrency") is None:
                self.report_at(job.key.start, job.key.end, f'two runs of "{job.name}" can overlap')
