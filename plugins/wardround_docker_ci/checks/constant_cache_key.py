"""DC079."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_docker_ci.check import STEPS, CiCheck


class ConstantCacheKey(CiCheck):
    """The key of a cache is the same for every run, so what the first run stored is what all get.

    A cache is never written again under a key it has: after the first dependency update it is stale for good.
    Put `${{ hashFiles('...') }}` of what decides about its content into the key.
    """

    ID = "DC079"
    NAME = "constant-cache-key"
    PLANE = Plane.PERF
    SEVERITY = Severity.WARN
    DEFECT_CLASS = "constant-cache-key"
    TRIED_ON = "trees of 79 repositories: 2 hits, both right"
    KINDS = STEPS
    NEEDS = ("actions/cache",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "on: push\njobs:\n  a:\n    steps:\n      - uses: actions/cache@v4\n        with:\n"
            "          path: x\n"
            "          key: ${{ runner.os }}-${{ hashFiles('a.lock') }}\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\njobs:\n  a:\n    steps:\n      - uses: actions/cache/restore@v4\n"
            "        with: {path: x, key: y}\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\njobs:\n  a:\n    steps:\n      - uses: actions/cache@v4\n"
            "        with: {path: x, key: tool-1.24.0}\n",
            path=".github/workflows/a.yml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "name: a\ndescription: b\nruns:\n  using: composite\n  steps:\n    - uses: actions/cache@v4\n"
            "      with: {path: x, key: 'gems'}\n",
            line=7,
            column=29,
            path="action.yml",
        ),
        Invalid(
            "on: push\njobs:\n  a:\n    steps:\n      - uses: actions/cache@v4\n        with:\n"
            "          path: ~/.npm\n"
            "          key: npm-cache\n",
            line=8,
            column=16,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: push\njobs:\n  a:\n    steps:\n      - uses: actions/cache@v4\n        with:\n"
            "          path: ~/.npm\n"
            "          key: ${{ runner.os }}-deps\n",
            line=8,
            column=16,
            path=".github/workflows/a.yml",
        ),
    ]

    def run(self) -> None:
        for _, step in self.file.workflow.all_steps:
            key = step.given.scalar("key")
            if step.action != "actions/cache" or key is None:
                continue
            rest = key.value.replace(" ", "").replace("${{runner.os}}", "").replace("${{runner.arch}}", "")
            if rest and "${{" not in rest and not any(sign.isdigit() for sign in rest):
                text = self.file.passage(key)
                self.report_at(
                    text.start, text.end, "every run has this key, so the cache never changes again"
                )
