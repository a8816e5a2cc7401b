"""DC067."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_docker_ci.check import STEPS, CiCheck


class UnsafeCheckoutAllowed(CiCheck):
    """The checkout action's guard against running a fork's code with the repository's rights is switched off.

    It refuses to check out a pull request's code under `pull_request_target` and `workflow_run`, because
    whatever runs it afterwards hands the secrets over. Leave it on, and run such code under `pull_request`.
    """

    ID = "DC067"
    NAME = "unsafe-checkout-allowed"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "untrusted-checkout"
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = STEPS
    NEEDS = ("allow-unsafe-pr-checkout",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: actions/checkout@v7\n"
            "        with:\n"
            "          allow-unsafe-pr-checkout: false\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: actions/checkout@v7\n"
            "# allow-unsafe-pr-checkout: true\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: a/b@v7\n        with:\n"
            "          allow-unsafe-pr-checkout: true\n",
            path=".github/workflows/a.yml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "on: pull_request_target\njobs:\n  a:\n    runs-on: x\n    steps:\n"
            "      - uses: actions/checkout@v7\n"
            "        with:\n          allow-unsafe-pr-checkout: true\n",
            line=8,
            column=11,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: workflow_run\njobs:\n  a:\n    runs-on: x\n    steps:\n      - with:\n"
            "          allow-unsafe-pr-checkout: 'true'\n        uses: actions/checkout@v7\n",
            line=7,
            column=11,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "name: a\nruns:\n  using: composite\n  steps:\n    - uses: actions/checkout@v7\n      with:\n"
            "        ref: a\n        allow-unsafe-pr-checkout: true\n",
            line=8,
            column=9,
            path="action.yml",
        ),
    ]

    def run(self) -> None:
        for _, step in self.file.workflow.all_steps:
            key, value = (
                step.given.key("allow-unsafe-pr-checkout"),
                step.given.text("allow-unsafe-pr-checkout"),
            )
            if step.action == "actions/checkout" and key is not None and value == "true":
                self.report_at(key.start, key.end, "the guard against a fork's code is switched off here")
