"""DC060."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_docker_ci.check import GITLAB, WORKFLOW, CiCheck
from wardround_docker_ci.kinds import Kind
from wardround_docker_ci.programs import is_test
from wardround_docker_ci.yaml_tree import Mapping


class FailureAllowed(CiCheck):
    """Tests or checks run, and their failure is ignored.

    The pipeline is green whatever they say, and nobody looks. Let them fail, or take the step out until it
    can.
    """

    ID = "DC060"
    NAME = "failure-allowed"
    PLANE = Plane.TESTS
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "hidden-failure"
    TRIED_ON = (
        "trees of 27 repositories: 1 hits; "
        "640 commits of 16 that touch such files: 0; hits that a comment explains are passed over"
    )
    KINDS = WORKFLOW | GITLAB
    NEEDS = ("continue-on-error", "allow_failure")
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: npm test\n"
            "        continue-on-error: ${{ matrix.experimental }}\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: rm -r cache\n"
            "        continue-on-error: true\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: npm test\n        id: t\n"
            "        continue-on-error: true\n      - if: steps.t.outcome == 'failure'\n"
            "        run: exit 1\n",
            path=".github/workflows/a.yml",
        ),
        Valid("deploy:\n  script: make deploy\n  allow_failure: true\n", path=".gitlab-ci.yml"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: npm test\n"
            "        continue-on-error: true\n",
            line=7,
            column=9,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - continue-on-error: true\n"
            "        run: |\n"
            "          pip install .\n          pytest\n",
            line=6,
            column=9,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "unit-tests:\n  script:\n    - pytest\n  allow_failure: true\n",
            line=4,
            column=3,
            path=".gitlab-ci.yml",
        ),
    ]

    def run(self) -> None:
        tested = {id(s.owner) for s in self.file.scripts if any(is_test(command) for command in s.commands)}
        for _, step in self.file.workflow.all_steps:
            self._look(step.node, "continue-on-error", id(step) in tested)
        for job in self.file.gitlab_jobs if self.file.kind is Kind.GITLAB_CI else ():
            self._look(job.node, "allow_failure", id(job) in tested)

    def _look(self, node: Mapping, key: str, runs_tests: bool) -> None:
        name, value = node.key(key), node.scalar(key)
        label = node.text("id")
        is_asked = bool(label) and f"steps.{label}." in self.file.text
        explained = name is not None and self.file.is_explained(name.start)
        if (
            runs_tests
            and not explained
            and name is not None
            and value is not None
            and value.value == "true"
            and not is_asked
        ):
            self.report_at(name.start, value.end, "tests run here and their failure is ignored")
