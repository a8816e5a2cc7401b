"""DC058."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Severity
from wardround_docker_ci.check import WORKFLOW, CiCheck


class NoJobTimeout(CiCheck):
    """A job may run for six hours, which is what happens when something in it hangs.

    It holds a runner and is paid for all that time. Say `timeout-minutes`.
    """

    ID = "DC058"
    NAME = "no-job-timeout"
    SEVERITY = Severity.INFO
    OFF = "Nearly no workflow says it, and most never hang."
    TRIED_ON = "trees of 27 repositories: 515 hits; 640 commits of 16 that touch such files: 0"
    KINDS = WORKFLOW
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    timeout-minutes: 10\n    steps: []\n",
            path=".github/workflows/a.yml",
        ),
        Valid("on: push\njobs:\n  a:\n    uses: ./.github/workflows/b.yml\n", path=".github/workflows/a.yml"),
        Valid("on: push\njobs: {}\n", path=".github/workflows/a.yml"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: a\n",
            line=3,
            column=3,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: push\njobs:\n  'a b':\n    runs-on: x\n    steps:\n      - run: a\n",
            line=3,
            column=3,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: push\njobs:\n  a:\n    timeout-minutes: 5\n    runs-on: x\n    steps: []\n  b:\n"
            "    runs-on: x\n"
            "    steps:\n      - run: a\n",
            line=7,
            column=3,
            path=".github/workflows/a.yml",
        ),
    ]

    def run(self) -> None:
        for job in self.file.workflow.jobs:
            if job.key is not None and job.steps and job.node.get("timeout-minutes") is None:
                self.report_at(job.key.start, job.key.end, f'job "{job.name}" may hang for six hours')
