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
from wardround_docker_ci.workflow import Step
from wardround_docker_ci.yaml_tree import Mapping, Node, Scalar
from wardround_docker_ci.yaml_tree import Sequence as Labels

_SHIPS = LatePattern(r"deploy|release|publish|ship|prod|live", re.IGNORECASE)


class NoJobTimeout(CiCheck):
    """A job that deploys, waits for something or runs on a machine of your own may hang for six hours.

    Until then it holds the machine, and what is to come after it. Say `timeout-minutes`.
    """

    ID = "DC058"
    NAME = "no-job-timeout"
    SEVERITY = Severity.INFO
    TRIED_ON = (
        "trees of 79 repositories and 885 commits of 28: 97 hits, 50 read, all true but nine on test "
        "jobs that only take secrets from an environment, which are left out since; jobs that wait, "
        "and groups of runners, in 85: 19 more, all true"
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
            "on: push\njobs:\n  e2e:\n    runs-on: x\n    steps:\n      - run: npx playwright test\n",
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
            if (
                has_place
                or deployments.of_workflow(job)
                or _is_own_machine(job.node.get("runs-on"))
                or any(_waits(step) for step in job.steps)
            ):
                self.report_at(job.key.start, job.key.end, f'job "{job.name}" may hang for six hours')


_WAITS = LatePattern(
    r"\b(?:playwright|cypress|wdio|testcafe|nightwatch|detox|maestro|k6)\s+(?:test|run|open)\b"
    r"|\bgo test\b[^\n]*\s-fuzz\b"
    r"|\bcargo (?:\+\w+ )?fuzz run\b|\bconnected(?:Android)?(?:Debug)?(?:Android)?(?:Test|Check)\b"
    r"|\bwait-on\b"
    r"|^\s*(?:until|while !)\s[^\n]*(?:curl|nc|wget|pg_isready|kubectl|docker|gh|aws)\b"
    r"|\b(?:docker[ -]compose)\s+(?:-\S+\s+\S+\s+)*up\b(?![^\n]*(?:\s-d\b|--detach|--wait))"
    r"|\btail\s+-[fF]\b|(?:^|\s)ssh\s+\S+@\S+",
    re.MULTILINE,
)
"""Programs that wait for a browser, a device, a server or for luck."""
_LENT = LatePattern(
    r"ubuntu|windows|macos|\$\{\{|blacksmith|depot|namespace|buildjet|warp|runs-on", re.IGNORECASE
)
"""What labels of machines that somebody lends have in them; several others are a machine of one's own."""
_WAITING_ACTIONS = (
    "reactivecircus/android-emulator-runner",
    "cypress-io/github-action",
    "jakejarvis/wait-action",
)


def _waits(step: Step) -> bool:
    if step.node.get("timeout-minutes") is not None:
        return False
    if step.run is None:
        return step.action in _WAITING_ACTIONS
    found = _WAITS.search(step.run.value)
    return found is not None and "timeout " not in step.run.value


def _is_own_machine(label: Node | None) -> bool:
    if isinstance(label, Mapping):
        return label.get("group") is not None or _is_own_machine(label.get("labels"))
    labels = label.items if isinstance(label, Labels) else [label]
    if len(labels) > 1 and not any(isinstance(one, Scalar) and _LENT.search(one.value) for one in labels):
        return True
    return any(isinstance(one, Scalar) and one.value == "self-hosted" for one in labels)
