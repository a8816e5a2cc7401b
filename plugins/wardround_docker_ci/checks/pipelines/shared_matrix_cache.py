"""DC216."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround_docker_ci.check import WORKFLOW, CiCheck
from wardround_docker_ci.models.github_workflow import WorkflowJob

_BUILT = LazyPattern(
    r"(?:^|/)(?:\.?venv|node_modules|site-packages|vendor/bundle|\.tox|\.nox|virtualenvs?)/?\s*$",
    re.MULTILINE,
)
_VERSION = LazyPattern(
    r"^(?:python|py|node|nodejs|ruby|php|go|java|jdk|elixir|otp)(?:[-_]?versions?)?$|^versions?$",
    re.IGNORECASE,
)


class SharedMatrixCache(CiCheck):
    """Jobs for several versions of a language share one cache of what is installed.

    The first job to end writes it, and the others get packages built for its version. Put the version of the
    matrix into the key.
    """

    ID = "DC216"
    NAME = "shared-matrix-cache"
    DEFECT_CLASS = "constant-cache-key"
    TRIED_ON = "trees of 27 repositories with workflows: no hit"
    KINDS = WORKFLOW
    NEEDS = ("actions/cache",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "on: push\njobs:\n  a:\n    strategy: {matrix: {python: ['3.11', '3.12']}}\n    steps:\n"
            "      - uses: actions/cache@v4\n        with:\n          path: .venv\n"
            "          key: v-${{ matrix.python }}-${{ hashFiles('uv.lock') }}\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\njobs:\n  a:\n    strategy: {matrix: {python: ['3.11', '3.12']}}\n    steps:\n"
            "      - uses: actions/cache@v4\n        with:\n          path: ~/.cache/pip\n"
            "          key: v-${{ hashFiles('uv.lock') }}\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\njobs:\n  a:\n    strategy: {matrix: {shard: [1, 2]}}\n    steps:\n"
            "      - uses: actions/cache@v4\n        with:\n          path: .venv\n"
            "          key: v-${{ hashFiles('uv.lock') }}\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\njobs:\n  a:\n    strategy: {matrix: {python: ['3.12']}}\n    steps:\n"
            "      - uses: actions/cache@v4\n        with:\n          path: .venv\n"
            "          key: v-${{ hashFiles('uv.lock') }}\n",
            path=".github/workflows/a.yml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "on: push\njobs:\n  a:\n    strategy: {matrix: {python: ['3.11', '3.12']}}\n    steps:\n"
            "      - uses: actions/cache@v4\n        with:\n          path: .venv\n"
            "          key: v-${{ hashFiles('uv.lock') }}\n",
            line=9,
            column=16,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: push\njobs:\n  a:\n    strategy:\n      matrix:\n        node-version: [20, 22]\n"
            "    steps:\n      - uses: actions/cache@v4\n        with:\n          path: |\n"
            "            node_modules\n            */node_modules\n"
            "          key: ${{ runner.os }}-${{ hashFiles('yarn.lock') }}\n",
            line=13,
            column=16,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: push\njobs:\n  a:\n    strategy: {matrix: {ruby: ['3.2', '3.3']}}\n    steps:\n"
            "      - uses: actions/cache@v4\n        with: {path: vendor/bundle, key: 'gems-1.2'}\n",
            line=7,
            column=43,
            path=".github/workflows/a.yml",
        ),
    ]

    def run(self) -> None:
        for job in self.file.workflow.jobs:
            name = _several(job)
            for step in job.steps if name else ():
                key = step.given.scalar("key")
                is_cache = step.action in ("actions/cache", "actions/cache/save")
                if key is None or not is_cache or not _BUILT.search(step.given.text("path")):
                    continue
                if not re.search(r"matrix\.|\bsteps\.|\benv\.|needs\.|inputs\.", key.value):
                    text = self.file.passage(key)
                    self.report_at(text.start, text.end, f"every {name} of the matrix has this key")


def _several(job: WorkflowJob) -> str:
    """What the matrix calls the version of the language, where it has more than one."""
    for key, value in job.node.mapping("strategy", "matrix").entries:
        if _VERSION.match(key.value) and len(getattr(value, "items", ())) > 1:
            return key.value
    return ""
