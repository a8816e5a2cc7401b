"""DC104."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_docker_ci.check import STEPS, CiCheck
from wardround_docker_ci.docdrift.step_names import stale_tools
from wardround_docker_ci.file_kinds import FileKind

_PATH = ".github/workflows/ci.yml"


def _step(name: str, run: str) -> str:
    return f"on: push\njobs:\n  lint:\n    steps:\n      - name: {name}\n        run: |\n          {run}\n"


class StaleToolInName(CiCheck):
    """A change put another tool in the place of one, and the name of the step or job still says the old one.

    Whoever reads the log of a run looks for the wrong tool. Change the name in the same commit.
    """

    ID = "DC104"
    NAME = "stale-tool-in-name"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    TRIED_ON = (
        "history of 396 repositories, 165,799 commits with pipelines, Dockerfiles or scripts: 32 hits, of "
        "which the author changed the name in 31; the one left was read: wrong, on npm as the place a "
        "package goes to, which is passed over since, so nothing is proven"
    )
    KINDS = STEPS | {FileKind.GITLAB_CI}
    NEEDS = ("name:", "script:")
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(_step("Run flake8", "ruff check"), path=_PATH),
        Valid(_step("Lint", "ruff check"), path=_PATH, base=_step("Lint", "flake8")),
        Valid(_step("Run flake8", "make lint"), path=_PATH, base=_step("Run flake8", "flake8 src")),
        Valid(_step("Run ruff", "ruff check"), path=_PATH, base=_step("Run flake8", "flake8 src")),
        Valid(
            _step("Publish npm package", "pnpm publish"),
            path=_PATH,
            base=_step("Publish npm package", "npm publish"),
        ),
        Valid(
            _step("Release to npm", "pnpm publish"), path=_PATH, base=_step("Release to npm", "npm publish")
        ),
        Valid(_step("Pack it for npm", "pnpm pack"), path=_PATH, base=_step("Pack it for npm", "npm pack")),
        Valid(_step("npm publish", "pnpm publish"), path=_PATH, base=_step("npm publish", "npm publish")),
        Valid(
            _step("Install npm dependencies", "pnpm install"),
            path=_PATH,
            base=_step("Install npm dependencies", "npm ci"),
        ),
        Valid(
            _step("linux / conda", "mamba install -c conda-forge vtk"),
            path=_PATH,
            base=_step("linux / conda", "conda install -c conda-forge vtk"),
        ),
        Valid(_step("npm ci", "npm ci"), path=_PATH, base=_step("npm ci", "npm ci && yarn")),
        Valid(
            _step("Run flake8", "ruff check && flake8"), path=_PATH, base=_step("Run flake8", "flake8 src")
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            _step("Run flake8", "ruff check ."),
            path=_PATH,
            base=_step("Run flake8", "flake8 src"),
            line=5,
            column=19,
        ),
        Invalid(
            _step("Build with Maven", "./gradlew build"),
            path=_PATH,
            base=_step("Build with Maven", "mvn -B package"),
            line=5,
            column=26,
        ),
        Invalid(
            "yarn test:\n  script:\n    - pnpm test\n",
            path=".gitlab-ci.yml",
            base="yarn test:\n  script:\n    - yarn test\n",
            line=1,
            column=1,
        ),
    ]

    def run(self) -> None:
        for one in stale_tools(self.file, self.source):
            self.report_at(one.start, one.end, f'the name says "{one.said}", but this change runs {one.now}')
