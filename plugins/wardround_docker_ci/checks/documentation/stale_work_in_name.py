"""DC161."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_docker_ci.check import STEPS, CiCheck
from wardround_docker_ci.docdrift.step_names import stale_targets, stale_work
from wardround_docker_ci.file_kinds import FileKind

_PATH = ".github/workflows/ci.yml"


def _step(name: str, run: str) -> str:
    return f"on: push\njobs:\n  check:\n    steps:\n      - name: {name}\n        run: {run}\n"


def _invalid(name: str, was: str, now: str, column: int = 15) -> Invalid:
    return Invalid(_step(name, now), 5, column, path=_PATH, base=_step(name, was))


class StaleWorkInName(CiCheck):
    """A step or job that is named after one kind of work does another since this change.

    A step called "Lint" that checks types now fails under the wrong name, and everybody believes that the
    linter still runs. Rename it, and see whether the other work is done anywhere else.
    """

    ID = "DC161"
    NAME = "stale-work-in-name"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    TRIED_ON = (
        "history of 396 repositories, 165,799 commits with pipelines, Dockerfiles or scripts: 27 hits, of "
        "which the author changed the name in 25; the 2 left were read: 1 right, 1 wrong, on a formatter in "
        "a job that lints, which is passed over since, so little is proven"
    )
    KINDS = STEPS | {FileKind.GITLAB_CI}
    NEEDS = ("name:", "script:")
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(_step("Lint", "pnpm tsc --noEmit"), path=_PATH),
        Valid(_step("Lint", "ruff check"), path=_PATH, base=_step("Lint", "flake8")),
        Valid(_step("Lint", "make lint"), path=_PATH, base=_step("Lint", "eslint .")),
        Valid(_step("Lint and types", "tsc"), path=_PATH, base=_step("Lint and types", "eslint . && tsc")),
        Valid(
            _step("Deploy to production", "./deploy.sh production"),
            path=_PATH,
            base=_step("Deploy to staging", "./deploy.sh staging"),
        ),
        Valid(_step("Test", "node make.js wdio"), path=_PATH, base=_step("Test", "node make.js karma")),
        Valid(
            _step("Prepare macOS and Windows", "./prepare.sh macos"),
            path=_PATH,
            base=_step("Prepare macOS and Windows", "./prepare.sh windows"),
        ),
        Valid(_step("Types", "pnpm tsc"), path=_PATH, base=_step("Lint", "eslint .")),
        Valid(_step("Lint", "prettier --check ."), path=_PATH, base=_step("Lint", "markdownlint .")),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        _invalid("Lint", "pnpm eslint . --max-warnings 0", "pnpm tsc --noEmit"),
        _invalid("Run the unit tests", "pytest -q", "ruff check .", 23),
        _invalid("Type check", "mypy src", "pytest -q"),
        _invalid("Deploy to staging", "./deploy.sh staging", "./deploy.sh production", 25),
        _invalid("Check formatting", "prettier --check .", "eslint .", 21),
    ]

    def run(self) -> None:
        for one in stale_work(self.file, self.source):
            message = f'the name says "{one.said}", but this change runs {one.now} in place of what does that'
            self.report_at(one.start, one.end, message)
        for one in stale_targets(self.file, self.source):
            message = f'the name says "{one.said}", but this change put "{one.now}" in its place'
            self.report_at(one.start, one.end, message)
