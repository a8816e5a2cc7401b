"""DC103."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_docker_ci.check import STEPS, CiCheck
from wardround_docker_ci.docdrift.step_names import stale_versions
from wardround_docker_ci.file_kinds import FileKind

_PATH = ".github/workflows/ci.yml"


def _step(name: str, version: str) -> str:
    return (
        "on: push\njobs:\n  test:\n    steps:\n"
        f"      - name: {name}\n        uses: actions/setup-python@v5\n        with:\n"
        f"          python-version: '{version}'\n"
    )


def _job(name: str, version: str) -> str:
    return f"on: push\njobs:\n  test:\n    name: {name}\n    runs-on: ubuntu-{version}\n    steps: []\n"


def _gitlab(name: str, image: str) -> str:
    return f"{name}:\n  image: {image}\n  script:\n    - make test\n"


class StaleVersionInName(CiCheck):
    """A change raised a version, and the name of the step or job still says the old one.

    Whoever reads the log of a run takes it for the version in the name. Change the name in the same commit,
    or leave the version out of it.
    """

    ID = "DC103"
    NAME = "stale-version-in-name"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    TRIED_ON = (
        "history of 396 repositories, 165,799 commits with pipelines, Dockerfiles or scripts: 721 hits, of "
        "which the author changed the name in 684; of the 37 left, 14 were read, one a commit: all right, 8 "
        "of them in repositories that nobody had read before"
    )
    KINDS = STEPS | {FileKind.GITLAB_CI}
    NEEDS = ("name:", "script:")
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(_step("Set up Python 3.9", "3.12"), path=_PATH),
        Valid(_step("Set up Python", "3.12"), path=_PATH, base=_step("Set up Python", "3.9")),
        Valid(_step("Set up Python 3.9", "3.9.7"), path=_PATH, base=_step("Set up Python 3.9", "3.9")),
        Valid(_step("Set up Python 3.12", "3.12"), path=_PATH, base=_step("Set up Python 3.9", "3.9")),
        Valid(
            _step("Set up ${{ matrix.v3.9 }}", "3.12"),
            path=_PATH,
            base=_step("Set up ${{ matrix.v3.9 }}", "3.9"),
        ),
        Valid(_step("Mypy 3.11", "0"), path=_PATH, base=_step("Mypy 3.11", "3.11")),
        Valid(
            _step("Node 18", "file") + "          tries: 2\n",
            path=_PATH,
            base=_step("Node 18", "18") + "          tries: 2\n",
        ),
        Valid(_job("Check 10 files", "24.04"), path=_PATH, base=_job("Check 10 files", "22.04")),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            _step("Set up Python 3.9", "3.12"),
            path=_PATH,
            base=_step("Set up Python 3.9", "3.9"),
            line=5,
            column=29,
        ),
        Invalid(
            _job('"Tests (Ubuntu 22.04)"', "24.04"),
            path=_PATH,
            base=_job('"Tests (Ubuntu 22.04)"', "22.04"),
            line=4,
            column=26,
        ),
        Invalid(_step("Node 18", "22"), path=_PATH, base=_step("Node 18", "18"), line=5, column=20),
        Invalid(
            _gitlab("python-3.9", "python:3.12"),
            path=".gitlab-ci.yml",
            base=_gitlab("python-3.9", "python:3.9"),
            line=1,
            column=8,
        ),
    ]

    def run(self) -> None:
        for one in stale_versions(self.file, self.source):
            self.report_at(
                one.start, one.end, f'the name says "{one.said}", but this change made it {one.now}'
            )
