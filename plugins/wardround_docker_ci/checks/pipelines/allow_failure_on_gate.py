from __future__ import annotations

import re

from wardround.findings import Plane, Severity
from wardround.languages.yaml.nodes import Mapping
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import GITLAB, WORKFLOW, CiCheck
from wardround_docker_ci.file_kinds import FileKind
from wardround_docker_ci.libraries.commands import is_audit, is_test

_ONLY_ADVICE = LazyPattern(
    r"advisory|optional|experimental|informational|non-?blocking|nightly|allowed", re.IGNORECASE
)


class AllowFailureOnGate(CiCheck):
    """A test or lint job is allowed to fail.

    The pipeline succeeds regardless of its result, and nobody notices a failure. Let it fail, or remove the
    step until it passes.
    """

    ID = "DC060"
    NAME = "allow-failure-on-gate"
    PLANE = Plane.TESTS
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "hidden-failure"
    KINDS = WORKFLOW | GITLAB
    NEEDS = ("continue-on-error", "allow_failure")
    CASE_PATH = ".github/workflows/a.yml"
    VALID = [
        code("""
            on: push
            jobs:
              a:
                runs-on: x
                steps:
                  - run: npm test
                    continue-on-error: ${{ matrix.experimental }}
        """),
        code("""
            on: push
            jobs:
              a:
                runs-on: x
                steps:
                  - run: rm -r cache
                    continue-on-error: true
        """),
    ]
    INVALID = [
        code("""
            on: push
            jobs:
              a:
                runs-on: x
                steps:
                  - run: npm test
                    «continue-on-error: true»
        """),
        code(
            """
            unit-tests:
              script:
                - pytest
              «allow_failure: true»
            """,
            path=".gitlab-ci.yml",
        ),
    ]

    def run(self) -> None:
        tested = self._test_script_owners()
        for flow_job in self.file.workflow.jobs:
            runs_tests = any(id(step) in tested for step in flow_job.steps)
            self._check(flow_job.node, "continue-on-error", runs_tests)
        for _, step in self.file.workflow.all_steps:
            self._check(step.node, "continue-on-error", id(step) in tested)
        for job in self.file.gitlab_jobs if self.file.kind is FileKind.GITLAB_CI else ():
            if not _ONLY_ADVICE.search(job.name):
                self._check(job.node, "allow_failure", id(job) in tested)
                self._check_codes(job.node.mapping("allow_failure"), id(job) in tested)

    def _test_script_owners(self) -> set[int]:
        """Return the ids of the owners of scripts that run tests or audits."""
        is_shown = "sarif" in self.file.text.lower()  # the findings of audits are shown elsewhere
        return {
            id(script.owner)
            for script in self.file.scripts
            if any(is_test(command) or (is_audit(command) and not is_shown) for command in script.commands)
        }

    def _check_codes(self, codes: Mapping, runs_tests: bool) -> None:
        listed = [getattr(code, "value", "") for code in codes.items_at("exit_codes")]
        if codes.text("exit_codes") == "1" or "1" in listed:
            self._report_codes(codes, runs_tests)

    def _report_codes(self, codes: Mapping, runs_tests: bool) -> None:
        """Check the exit status by which nearly every runner reports a failure."""
        key = codes.key("exit_codes")
        if key is not None and runs_tests and not self.file.is_explained(key.start):
            self.report_at(
                key.start, key.end, "exit status 1 of these tests, a failure, is ignored; let them fail"
            )

    def _check(self, node: Mapping, key: str, runs_tests: bool) -> None:
        name, value = node.key(key), node.scalar(key)
        label = node.text("id")
        is_used = bool(label) and f"steps.{label}." in self.file.text
        explained = name is not None and self.file.is_explained(name.start)
        if (
            runs_tests
            and not explained
            and name is not None
            and value is not None
            and value.value == "true"
            and not is_used
        ):
            self.report_at(
                name.start, value.end, "tests run here and their failure is ignored; let them fail"
            )
