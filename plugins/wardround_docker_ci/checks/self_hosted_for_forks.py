"""DC066."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_docker_ci.check import WORKFLOW, CiCheck
from wardround_docker_ci.yaml_tree import Scalar


class SelfHostedForForks(CiCheck):
    """Pull requests run on a runner of one's own.

    In a public repository anybody can open one, and what it runs stays on the machine for the next job. Use
    hosted runners for pull requests, or ones that are thrown away after each job.
    """

    ID = "DC066"
    NAME = "self-hosted-for-forks"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "self-hosted-runner"
    OFF = "Whether the repository is public, and the runner thrown away after use, is not in the file."
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = WORKFLOW
    NEEDS = ("self-hosted",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "on: push\njobs:\n  a:\n    runs-on: self-hosted\n    steps: []\n", path=".github/workflows/a.yml"
        ),
        Valid(
            "on: pull_request\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps: []\n# self-hosted\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: [push, workflow_dispatch]\njobs:\n  a:\n    runs-on: [self-hosted, gpu]\n    steps: []\n",
            path=".github/workflows/a.yml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "on: pull_request\njobs:\n  a:\n    runs-on: self-hosted\n    steps: []\n",
            line=4,
            column=14,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: [push, pull_request]\njobs:\n  a:\n    runs-on: [self-hosted, gpu]\n    steps: []\n",
            line=4,
            column=15,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on:\n  pull_request_target:\njobs:\n  a:\n    runs-on:\n      - 'self-hosted'\n    steps: []\n",
            line=6,
            column=10,
            path=".github/workflows/a.yml",
        ),
    ]

    def run(self) -> None:
        if not {"pull_request", "pull_request_target"}.intersection(self.file.workflow.triggers):
            return
        for job in self.file.workflow.jobs:
            for node in job.node.listed("runs-on"):
                if isinstance(node, Scalar) and node.value == "self-hosted":
                    text = self.file.passage(node)
                    self.report_at(text.start, text.end, "pull requests run on a machine of one's own")
