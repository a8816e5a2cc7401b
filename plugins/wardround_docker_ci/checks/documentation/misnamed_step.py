"""DC480."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_docker_ci.check import STEPS, CiCheck
from wardround_docker_ci.docdrift.misnamed_steps import misnamed
from wardround_docker_ci.docdrift.step_names import named
from wardround_docker_ci.file_kinds import FileKind

_PATH = ".github/workflows/ci.yml"


def _step(name: str, run: str) -> str:
    return f"on: push\njobs:\n  check:\n    steps:\n      - name: {name}\n        run: {run}\n"


def _invalid(name: str, run: str, column: int) -> Invalid:
    return Invalid(_step(name, run), 5, column, path=_PATH)


class MisnamedStep(CiCheck):
    """A step is named after work it does not do, or after another place than it works on.

    The name was copied with another step, or the command was. Whoever reads the run believes that the
    migrations ran, or that staging was meant. Give it the name of what it runs, or the right command.
    """

    ID = "DC480"
    NAME = "misnamed-step"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "misleading-name"
    TRIED_ON = (
        "history of 396 repositories, 165,799 commits with pipelines, Dockerfiles or scripts: 3 hits, all "
        "read: 1 right, two names that had changed places, and 2 wrong, on a place and on tests that a "
        "command names within a longer word; those are passed over since, so little is proven"
    )
    KINDS = STEPS | {FileKind.GITLAB_CI}
    NEEDS = ("name:", "script:")
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(_step("Run the migrations", "kubectl exec api -- ./manage.py migrate"), path=_PATH),
        Valid(_step("Deploy to staging", "helm upgrade api chart -f staging.yaml"), path=_PATH),
        Valid(_step("Promote staging to production", "./promote.sh production"), path=_PATH),
        Valid(_step("Run the tests", "make check"), path=_PATH),
        Valid(_step("Lint", "mypy src"), path=_PATH),
        Valid(_step("Install the test tools", "pip install pytest"), path=_PATH),
        Valid(_step("Update the docs", "nox -s update_projects"), path=_PATH),
        Valid(_step("Test with mypy", "mypy src"), path=_PATH),
        Valid(_step("Deploy the preview", "./publish.sh --version dev"), path=_PATH),
        Valid(_step("Run tests", "helm unittest charts"), path=_PATH),
        Valid(_step("Push to QA", "docker push shopqa.example.org/api:dev"), path=_PATH),
        Valid(_step("Deploy to production", "poetry install --only dev && ./deploy.sh"), path=_PATH),
        Valid(_step("Run the tests in production mode", "NODE_ENV=dev vitest run"), path=_PATH),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        _invalid("Apply the database migrations", "helm upgrade api chart --install", 34),
        _invalid("Run the unit tests", "ruff check . && mypy src", 23),
        _invalid("Deploy to staging", "./deploy.sh --to production", 25),
        _invalid("Roll out to production", "helm upgrade api chart -f values-dev.yaml", 27),
        Invalid("deploy_staging:\n  script:\n    - ./deploy.sh prod\n", 1, 8, path=".gitlab-ci.yml"),
    ]

    def run(self) -> None:
        for one in named(self.file.root, self.file.kind):
            found = misnamed(one, is_job=self.file.kind is FileKind.GITLAB_CI)
            if found is None:
                continue
            passage = self.file.passage(one.name)
            at = passage.text.find(found.said)
            if at < 0:
                continue
            start = passage.start + at
            line, _ = self.source.position(start)
            if self.source.is_added(line) or any(
                self.source.is_added(n) for n in range(line, line + 3) if n <= len(self.source.lines)
            ):
                said = f'the name says "{found.said}", but what is run speaks of {found.now}'
                self.report_at(start, start + len(found.said), said)
