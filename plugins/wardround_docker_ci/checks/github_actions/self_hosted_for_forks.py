"""DC066."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.languages.yaml.tree import Scalar
from wardround_docker_ci.check import WORKFLOW, CiCheck

_OWN_ONLY = LazyPattern(
    r"head\.repo\.(?:full_name|fork|owner|id)|github\.event_name\s*!=\s*'pull_request|event_name\s*==\s*'(?!pull)"
    r"|author_association|contains\([^)]*labels"
)
"""Conditions that keep forks out, or let a maintainer decide."""
_THROWN_AWAY = LazyPattern(r"ephemeral|arc-|spot|autoscal", re.IGNORECASE)


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
    TRIED_ON = (
        "trees of 85 repositories and 640 commits of 16 that touch such files: no hit; whether the "
        "repository is public is not in the file, so info"
    )
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
            "on: pull_request\njobs:\n  a:\n    runs-on: self-hosted\n    steps: []\n"
            "    if: github.event.pull_request.head.repo.full_name == github.repository\n",
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
            if job.condition is not None and _OWN_ONLY.search(job.condition.value):
                continue
            labels = job.node.listed("runs-on") + job.node.mapping("runs-on").listed("labels")
            if any(isinstance(node, Scalar) and _THROWN_AWAY.search(node.value) for node in labels):
                continue
            for node in labels:
                if isinstance(node, Scalar) and node.value == "self-hosted":
                    text = self.file.passage(node)
                    self.report_at(
                        text.start, text.end, "whoever opens a pull request runs code on your machine"
                    )
