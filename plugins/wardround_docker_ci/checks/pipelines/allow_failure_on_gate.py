"""DC060."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.languages.yaml.tree import Mapping
from wardround_docker_ci.check import GITLAB, WORKFLOW, CiCheck
from wardround_docker_ci.file_kinds import FileKind
from wardround_docker_ci.libraries.commands import is_audit, is_test

_ONLY_ADVICE = LazyPattern(
    r"advisory|optional|experimental|informational|non-?blocking|nightly|allowed", re.IGNORECASE
)


class AllowFailureOnGate(CiCheck):
    """Tests or checks run, and their failure is ignored.

    The pipeline is green whatever they say, and nobody looks. Let them fail, or take the step out until it
    can.
    """

    ID = "DC060"
    NAME = "allow-failure-on-gate"
    PLANE = Plane.TESTS
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "hidden-failure"
    TRIED_ON = (
        "trees of 27 repositories: 1 hits; 640 commits of 16 that touch such files: 0; hits that a "
        "comment explains are passed over; audits, whole jobs and codes, in 27: 4 hits, 3 on advice "
        "and reports that are shown elsewhere, left out since"
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
        Valid(
            "scan:\n  script: ./scan.sh && trivy fs .\n  allow_failure: {exit_codes: [137]}\n",
            path=".gitlab-ci.yml",
        ),
        Valid("lint-advisory:\n  script: make lint\n  allow_failure: true\n", path=".gitlab-ci.yml"),
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
        Invalid(
            "audit:\n  script: npm audit --omit=dev\n  allow_failure: true\n",
            line=3,
            column=3,
            path=".gitlab-ci.yml",
        ),
        Invalid(
            "scan:\n  script: trivy fs --exit-code 1 .\n  allow_failure:\n    exit_codes: [1]\n",
            line=4,
            column=5,
            path=".gitlab-ci.yml",
        ),
        Invalid(
            "on: push\njobs:\n  unit:\n    continue-on-error: true\n    steps:\n      - run: make test\n",
            line=4,
            column=5,
            path=".github/workflows/a.yml",
        ),
    ]

    def run(self) -> None:
        reported = "sarif" in self.file.text.lower()  # what is found is shown elsewhere
        tested = {
            id(s.owner)
            for s in self.file.scripts
            if any(is_test(command) or (is_audit(command) and not reported) for command in s.commands)
        }
        for flow_job in self.file.workflow.jobs:
            runs_tests = any(id(step) in tested for step in flow_job.steps)
            self._look(flow_job.node, "continue-on-error", runs_tests)
        for _, step in self.file.workflow.all_steps:
            self._look(step.node, "continue-on-error", id(step) in tested)
        for job in self.file.gitlab_jobs if self.file.kind is FileKind.GITLAB_CI else ():
            if _ONLY_ADVICE.search(job.name):
                continue
            self._look(job.node, "allow_failure", id(job) in tested)
            codes = job.node.mapping("allow_failure")
            if codes.text("exit_codes") == "1" or "1" in [
                getattr(c, "value", "") for c in codes.listed("exit_codes")
            ]:
                self._codes(codes, id(job) in tested)

    def _codes(self, codes: Mapping, runs_tests: bool) -> None:
        """The one status by which nearly every runner says that something failed."""
        key = codes.key("exit_codes")
        if key is not None and runs_tests and not self.file.is_explained(key.start):
            self.report_at(key.start, key.end, "tests run here and 1, their failure, is ignored")

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
