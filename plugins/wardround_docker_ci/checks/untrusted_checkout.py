"""DC051."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround.late import LatePattern
from wardround_docker_ci.check import WORKFLOW, CiCheck
from wardround_docker_ci.contexts import HEAD_REFERENCE
from wardround_docker_ci.workflow import Job, Step

_FETCHES_HEAD = LatePattern(r"\bgh pr checkout\b|git (?:fetch|pull)\b[^\n]*\bpull/[^\n]*/(?:head|merge)")
_RUNS = LatePattern(
    r"\b(?:npm|pnpm|yarn|bun|pip[\d.]*|poetry|uv|make|cargo|go|mvn|gradle|bundle|composer|tox|pytest"
    r"|docker build|python[\d.]*|node|bash|sh)\b|\./",
)
_RUNNING_ACTIONS = (
    "./",
    "docker/build-push-action",
    "gradle/",
    "pre-commit/action",
    "golangci/golangci-lint-action",
)
_GATED = LatePattern(
    r"author_association|head\.repo\.full_name\s*==|\.fork\s*(?:==\s*false|!=\s*true)|safe.to.test"
    r"|labels\.\*\.name|label\.name|github\.actor\s*==|sender\.login|merged\s*==\s*true|\.merged\b",
    re.IGNORECASE,
)


class UntrustedCheckout(CiCheck):
    """A workflow with the repository's own rights checks out the code of a pull request and runs it.

    Whoever opens the pull request then has the write token and the secrets. Run what comes from forks under
    `pull_request`, and only report under `pull_request_target` or `workflow_run`.
    """

    ID = "DC051"
    NAME = "untrusted-checkout"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = WORKFLOW
    NEEDS = ("pull_request_target", "workflow_run", "issue_comment")
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "on: pull_request\njobs:\n  a:\n    runs-on: x\n    steps:\n"
            "      - uses: actions/checkout@v4\n        with:\n"
            "          ref: ${{ github.event.pull_request.head.sha }}\n      - run: npm ci\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: pull_request_target\njobs:\n  a:\n    runs-on: x\n    steps:\n"
            "      - uses: actions/checkout@v4\n"
            "      - run: npm ci\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: pull_request_target\njobs:\n  a:\n    runs-on: x\n    steps:\n"
            "      - uses: actions/checkout@v4\n"
            "        with:\n          ref: ${{ github.event.pull_request.head.sha }}\n"
            "      - run: git diff --stat\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: pull_request_target\njobs:\n  a:\n    if: github.event.pull_request.merged == true\n"
            "    runs-on: x\n    steps:\n      - uses: actions/checkout@v4\n        with:\n"
            "          ref: ${{ github.event.pull_request.head.sha }}\n      - run: make\n",
            path=".github/workflows/a.yml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "on: issue_comment\njobs:\n  a:\n    runs-on: x\n    steps:\n      - id: pr\n"
            "        run: echo sha=$(gh pr view 1 --json headRefOid -q .headRefOid) >> $GITHUB_OUTPUT\n"
            "      - uses: actions/checkout@v4\n"
            "        with:\n          ref: ${{ steps.pr.outputs.sha }}\n      - run: make\n",
            line=10,
            column=16,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: issue_comment\njobs:\n  a:\n    if: github.event.comment.body == '/test'\n"
            "    runs-on: x\n    steps:\n"
            "      - uses: actions/checkout@v4\n"
            "        with:\n          ref: refs/pull/${{ github.event.issue.number }}/head\n"
            "      - run: make\n",
            line=9,
            column=16,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: pull_request_target\njobs:\n  a:\n    runs-on: x\n    steps:\n"
            "      - uses: actions/checkout@v4\n"
            "        with:\n          ref: ${{ github.event.pull_request.head.sha }}\n"
            "      - run: npm ci && npm test\n",
            line=8,
            column=16,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on:\n  workflow_run:\n    workflows: [ci]\njobs:\n  a:\n    runs-on: x\n    steps:\n"
            "      - uses: actions/checkout@v4\n        with:\n"
            "          ref: '${{ github.event.workflow_run.head_sha }}'\n"
            "      - uses: ./.github/actions/build\n",
            line=10,
            column=17,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: [pull_request_target]\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: |\n"
            "          gh pr checkout $N\n          make test\n",
            line=7,
            column=11,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: pull_request_target\njobs:\n  a:\n    runs-on: x\n    steps:\n"
            "      - uses: actions/checkout@v7\n"
            "        with:\n          ref: refs/pull/${{ github.event.number }}/merge\n"
            "          allow-unsafe-pr-checkout: true\n      - run: make\n",
            line=8,
            column=16,
            path=".github/workflows/a.yml",
        ),
    ]

    def run(self) -> None:
        if self.file.workflow.is_started_by_forks() or "issue_comment" in self.file.workflow.triggers:
            for job in self.file.workflow.jobs:
                if job.condition is None or not _GATED.search(job.condition.value):
                    self._look(job)

    def _look(self, job: Job) -> None:
        for at, step in enumerate(job.steps):
            place = self._checked_out(step, job.steps[:at])
            if place is None or (step.condition is not None and _GATED.search(step.condition.value)):
                continue
            runs = next(
                (later for later in job.steps[at:] if _runs_code(later, is_first=later is step)), None
            )
            if runs is not None:
                line = self.file.places.line(runs.node.start)
                self.report_at(
                    *place, f"code of the pull request runs from line {line} on with this repository's rights"
                )
            return

    def _checked_out(self, step: Step, earlier: Sequence[Step]) -> tuple[int, int] | None:
        """Where a step takes the commit of the pull request."""
        reference = step.given.scalar("ref")
        if step.action == "actions/checkout" and reference is not None:
            text = self.file.passage(reference)
            is_head = HEAD_REFERENCE.search(text.text) or _is_head_output(text.text, earlier)
            return (text.start, text.end) if is_head else None
        if step.run is not None:
            text = self.file.passage(step.run)
            found = _FETCHES_HEAD.search(text.text)
            return (text.start + found.start(), text.start + found.end()) if found else None
        return None


def _is_head_output(reference: str, earlier: Sequence[Step]) -> bool:
    """Whether a reference is what an earlier step asked for as the head of the pull request."""
    found = _OUTPUT.search(reference)
    step = next((one for one in earlier if found and one.node.text("id") == found.group(1)), None)
    if step is None:
        return False
    return step.action in _HEAD_ACTIONS or (
        step.run is not None and _ASKS_HEAD.search(step.run.value) is not None
    )


_OUTPUT = LatePattern(r"\bsteps\.([\w-]+)\.outputs\.")
_ASKS_HEAD = LatePattern(r"headRef(?:Oid|Name)|\.head\.(?:sha|ref)\b")
_HEAD_ACTIONS = ("xt0rted/pull-request-comment-branch", "eficode/resolve-pr-refs")


def _runs_code(step: Step, *, is_first: bool) -> bool:
    """Whether a step runs something a checked-out tree decides about."""
    if step.run is not None:
        text = step.run.value
        found = _FETCHES_HEAD.search(text) if is_first else None
        return _RUNS.search(text[found.end() :] if found else text) is not None
    return (step.uses.value.lower() if step.uses else "").startswith(_RUNNING_ACTIONS)
