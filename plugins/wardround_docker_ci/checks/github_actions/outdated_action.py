"""DC064."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_docker_ci.check import STEPS, CiCheck

_SWITCHED_OFF = {
    "actions/upload-artifact": 3,
    "actions/download-artifact": 3,
    "actions/cache": 2,
    "actions/cache/restore": 2,
    "actions/cache/save": 2,
}
"""The last major version that GitHub's servers no longer answer."""


class OutdatedAction(CiCheck):
    """An action is used in a version whose service GitHub has switched off.

    The step fails on every run. Raise it to a version that still works.
    """

    ID = "DC064"
    NAME = "outdated-action"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.ERROR
    TRIED_ON = "trees of 27 repositories: 4 hits; 640 commits of 16 that touch such files: 4"
    KINDS = STEPS
    NEEDS = ("artifact@", "cache")
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: actions/upload-artifact@v4\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: actions/cache@v4.2.0\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: other/upload-artifact@v2\n",
            path=".github/workflows/a.yml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: actions/upload-artifact@v3\n",
            line=6,
            column=15,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: 'actions/cache@v2.1.3'\n",
            line=6,
            column=16,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "name: a\nruns:\n  using: composite\n  steps:\n    - uses: actions/download-artifact@v1\n",
            line=5,
            column=13,
            path="action.yml",
        ),
    ]

    def run(self) -> None:
        for _, step in self.file.workflow.all_steps:
            last = _SWITCHED_OFF.get(step.action)
            found = re.match(r"v(\d+)(?:\.|$)", step.version)
            if (
                last is not None
                and found is not None
                and int(found.group(1)) <= last
                and step.uses is not None
            ):
                text = self.file.passage(step.uses)
                self.report_at(
                    text.start, text.end, f"version {found.group(1)} no longer works; the step fails"
                )
