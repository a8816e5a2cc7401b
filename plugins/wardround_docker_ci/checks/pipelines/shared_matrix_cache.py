"""DC216: shared matrix cache."""

from __future__ import annotations

import re

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.rules.maturity import Maturity
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
    """Jobs for several versions of a language share one cache of installed packages.

    The first job to finish writes it, and the others restore packages built for its version. Put the
    matrix's version into the key.
    """

    ID = "DC216"
    NAME = "shared-matrix-cache"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "constant-cache-key"
    KINDS = WORKFLOW
    NEEDS = ("actions/cache",)
    CASE_PATH = ".github/workflows/a.yml"
    VALID = [
        code("""
            on: push
            jobs:
              a:
                strategy: {matrix: {python: ['3.11', '3.12']}}
                steps:
                  - uses: actions/cache@v4
                    with:
                      path: .venv
                      key: v-${{ matrix.python }}-${{ hashFiles('uv.lock') }}
        """),
        code("""
            on: push
            jobs:
              a:
                strategy: {matrix: {python: ['3.11', '3.12']}}
                steps:
                  - uses: actions/cache@v4
                    with:
                      path: ~/.cache/pip
                      key: v-${{ hashFiles('uv.lock') }}
        """),
    ]
    INVALID = [
        code("""
            on: push
            jobs:
              a:
                strategy: {matrix: {python: ['3.11', '3.12']}}
                steps:
                  - uses: actions/cache@v4
                    with:
                      path: .venv
                      key: «v-${{ hashFiles('uv.lock') }}»
        """),
        code("""
            on: push
            jobs:
              a:
                strategy: {matrix: {ruby: ['3.2', '3.3']}}
                steps:
                  - uses: actions/cache@v4
                    with: {path: vendor/bundle, key: '«gems-1.2»'}
        """),
    ]

    def run(self) -> None:
        for job in self.file.workflow.jobs:
            name = _several(job)
            for step in job.steps if name else ():
                key = step.inputs.scalar("key")
                is_cache = step.action in ("actions/cache", "actions/cache/save")
                if key is None or not is_cache or not _BUILT.search(step.inputs.text("path")):
                    continue
                if not re.search(r"matrix\.|\bsteps\.|\benv\.|needs\.|inputs\.", key.value):
                    text = self.file.passage(key)
                    self.report_at(
                        text.start,
                        text.end,
                        f"all values of matrix.{name} share this cache key; add the version to it",
                    )


def _several(job: WorkflowJob) -> str:
    """Return the matrix key of the language version if it has more than one value."""
    for key, value in job.node.mapping("strategy", "matrix").entries:
        if _VERSION.match(key.value) and len(getattr(value, "items", ())) > 1:
            return key.value
    return ""
