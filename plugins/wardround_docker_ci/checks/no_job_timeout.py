"""DC058."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Severity
from wardround.late import LatePattern
from wardround_docker_ci import deployments
from wardround_docker_ci.check import WORKFLOW, CiCheck
from wardround_docker_ci.yaml_tree import Node, Scalar
from wardround_docker_ci.yaml_tree import Sequence as Labels

_SHIPS = LatePattern(r"deploy|release|publish|ship|prod|live", re.IGNORECASE)


class NoJobTimeout(CiCheck):
    """A job that deploys or runs on a machine of your own may hang for six hours.

    Until then it holds the machine and the deployments behind it. Say `timeout-minutes`.
    """

    ID = "DC058"
    NAME = "no-job-timeout"
    SEVERITY = Severity.INFO
    TRIED_ON = (
        "trees of 79 repositories and 885 commits of 28: 97 hits, 50 read, all true but nine on "
        "test jobs that only take secrets from an environment, which are left out since"
    )
    KINDS = WORKFLOW
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    timeout-minutes: 10\n    steps: []\n",
            path=".github/workflows/a.yml",
        ),
        Valid("on: push\njobs:\n  a:\n    uses: ./.github/workflows/b.yml\n", path=".github/workflows/a.yml"),
        Valid(
            "on: push\njobs:\n  test:\n    runs-on: x\n    steps:\n      - run: make test\n",
            path=".github/workflows/a.yml",
        ),
        Valid("on: push\njobs: {}\n", path=".github/workflows/a.yml"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "on: push\njobs:\n  a:\n    runs-on: [self-hosted, big]\n    steps:\n      - run: a\n",
            line=3,
            column=3,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: push\njobs:\n  'go live':\n    runs-on: x\n    environment: prod\n"
            "    steps:\n      - run: a\n",
            line=3,
            column=3,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: push\njobs:\n  a:\n    timeout-minutes: 5\n    runs-on: x\n    steps: []\n  b:\n"
            "    runs-on: x\n"
            "    steps:\n      - run: kubectl apply -f k8s\n",
            line=7,
            column=3,
            path=".github/workflows/a.yml",
        ),
    ]

    def run(self) -> None:
        for job in self.file.workflow.jobs:
            if job.key is None or job.node.get("timeout-minutes") is not None or not job.steps:
                continue
            if all(step.node.get("timeout-minutes") is not None for step in job.steps):
                continue
            has_place = job.node.get("environment") is not None and _SHIPS.search(job.name) is not None
            if has_place or deployments.of_workflow(job) or _is_own_machine(job.node.get("runs-on")):
                self.report_at(job.key.start, job.key.end, f'job "{job.name}" may hang for six hours')


def _is_own_machine(label: Node | None) -> bool:
    labels = label.items if isinstance(label, Labels) else [label]
    return any(isinstance(one, Scalar) and one.value == "self-hosted" for one in labels)
