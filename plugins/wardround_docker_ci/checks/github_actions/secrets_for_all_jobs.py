"""DC130."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.languages.yaml.tree import Scalar
from wardround_docker_ci.check import WORKFLOW, CiCheck

_SECRET = LazyPattern(r"\$\{\{\s*secrets\.(?!GITHUB_TOKEN\b)\w+")


class SecretsForAllJobs(CiCheck):
    """A secret is in the environment of every step of every job.

    Each action and each dependency that a build or a test runs can read it there, though one step needs it.
    Set it under `env` of that step.
    """

    ID = "DC130"
    NAME = "secrets-for-all-jobs"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "overprovisioned-secrets"
    TRIED_ON = "trees of 85 repositories: 3 hits, all true, all of a shared build cache"
    KINDS = WORKFLOW
    NEEDS = ("secrets.",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "on: push\nenv:\n  A: ${{ vars.A }}\n  T: ${{ secrets.GITHUB_TOKEN }}\njobs:\n  a:\n"
            "    runs-on: x\n    steps: [{run: a}]\n  b:\n    runs-on: x\n    steps: [{run: b}]\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\nenv:\n  A: ${{ secrets.A }}\njobs:\n  a:\n    runs-on: x\n    steps: [{run: a}]\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\njobs:\n  a:\n    steps:\n      - run: a\n        env:\n          A: ${{ secrets.A }}\n"
            "  b:\n    steps: [{run: b}]\n",
            path=".github/workflows/a.yml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "on: push\nenv:\n  N: test\n  API_KEY: ${{ secrets.API_KEY }}\n  B: ${{ secrets.B }}\njobs:\n"
            "  a:\n    runs-on: x\n    steps: [{run: a}]\n  b:\n    runs-on: x\n    steps: [{run: b}]\n",
            line=4,
            column=3,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: push\nenv:\n  A: Bearer ${{secrets.A}}\njobs:\n  a:\n    steps: [{run: a}]\n  b:\n"
            "    steps: [{run: b}]\n",
            line=3,
            column=3,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "env: {A: '${{ secrets.A }}'}\non: push\njobs:\n  a: {steps: [{run: a}]}\n"
            "  b: {steps: [{run: b}]}\n",
            line=1,
            column=7,
            path=".github/workflows/a.yml",
        ),
    ]

    def run(self) -> None:
        jobs = [job for job in self.file.workflow.jobs if job.steps]
        given = [
            (key, value)
            for key, value in self.file.root.mapping("env").entries
            if isinstance(value, Scalar) and _SECRET.search(value.value)
        ]
        if given and len(jobs) > 1:
            key, value = given[0]
            names = ", ".join(name.value for name, _ in given[:3])
            self.report_at(key.start, value.end, f"every step of all {len(jobs)} jobs can read {names}")
