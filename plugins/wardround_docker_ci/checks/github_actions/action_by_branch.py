"""DC056."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround.languages.yaml.tree import Scalar
from wardround_docker_ci.check import STEPS, CiCheck

_MEANT = frozenset({"dtolnay/rust-toolchain"})
"""Actions whose branches are their interface: what to install is named beside them."""

_BRANCHES = frozenset({"main", "master", "develop", "dev", "trunk", "head", "next", "edge", "latest"})


class ActionByBranch(CiCheck):
    """An action is taken from a branch, so whatever is pushed there next runs with the job's token.

    A push that breaks or betrays it reaches every run at once, unseen. Name the commit, with the version in a
    comment behind it.
    """

    ID = "DC056"
    NAME = "action-by-branch"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "unpinned-action"
    TRIED_ON = (
        "trees of 27 repositories: 61 hits; "
        "640 commits of 16 that touch such files: 0; called workflows are info"
    )
    KINDS = STEPS
    NEEDS = ("uses",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: a/b@v1\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: ./b\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: docker://a:1@main\n",
            path=".github/workflows/a.yml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: a/b@main\n",
            line=6,
            column=15,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: push\njobs:\n  a:\n    uses: o/r/.github/workflows/b.yml@master\n",
            line=4,
            column=11,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "name: a\nruns:\n  using: composite\n  steps:\n    - uses: 'a/b/c@develop' # x\n",
            line=5,
            column=14,
            path="action.yaml",
        ),
        Invalid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: a/b\n",
            line=6,
            column=15,
            path=".github/workflows/a.yml",
        ),
    ]

    def run(self) -> None:
        workflow = self.file.workflow
        # A workflow that is called is mostly the same people's.
        called: list[tuple[Scalar | None, Severity | None]]
        called = [(step.uses, None) for _, step in workflow.all_steps if step.action not in _MEANT]
        called += [(job.node.scalar("uses"), Severity.INFO) for job in workflow.jobs]
        for uses, severity in called:
            if uses is None or uses.value.startswith((".", "$/", "docker:")) or "${{" in uses.value:
                continue
            _, at, version = uses.value.strip().partition("@")
            if not at or version.lower() in _BRANCHES or version.startswith("refs/heads/"):
                text = self.file.passage(uses)
                said = f'the branch "{version}" can change' if at else "no version is named"
                self.report_at(
                    text.start,
                    text.end,
                    f"{said}, and what it becomes runs with the job's token",
                    severity=severity,
                )
