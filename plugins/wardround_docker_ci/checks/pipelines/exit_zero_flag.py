"""DC218: exit zero flag."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.languages.shell import Command, unwrapped
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import PIPELINES, STEPS, CiCheck
from wardround_docker_ci.file_kinds import FileKind
from wardround_docker_ci.libraries.commands import program
from wardround_docker_ci.models.github_workflow import WorkflowStep

_SWITCHES = {
    "trivy": r"--exit-code[ =]0\b",
    "gitleaks": r"--exit-code[ =]0\b",
    "grype": r"--fail-on[ =]none\b",
    "mvn": r"-D(?:maven\.test\.failure\.ignore|testFailureIgnore)(?:=true)?(?=\s|$)"
    r"|(?:^|\s)(?:-fn|--fail-never)\b",
    "pylint": r"--exit-zero\b",
    "ruff": r"--exit-zero\b|(?:^|\s)-e\b",
    "bandit": r"--exit-zero\b",
    "flake8": r"--exit-zero\b",
    "tfsec": r"--soft-fail\b|(?:^|\s)-s\b",
    "checkov": r"--soft-fail(?=\s|$)|(?:^|\s)-s\b",
    "hadolint": r"--no-fail\b",
    "golangci-lint": r"--issues-exit-code[ =]0\b",
    "gosec": r"-no-fail\b",
    "brakeman": r"--no-exit-on-warn\b",
    "phpstan": r"--error-format[ =]none\b",
}
_SWITCHES |= {"mvnw": _SWITCHES["mvn"]}
_INPUTS = {
    "aquasecurity/trivy-action": ("exit-code", ("0",)),
    "bridgecrewio/checkov-action": ("soft_fail", ("true",)),
    "aquasecurity/tfsec-action": ("soft_fail", ("true",)),
    "hadolint/hadolint-action": ("no-fail", ("true",)),
    "anchore/scan-action": ("fail-build", ("false",)),
    "actions/dependency-review-action": ("warn-only", ("true",)),
}


class ExitZeroFlag(CiCheck):
    """A test runner or scanner is configured to exit with status 0 despite findings.

    The pipeline then succeeds with every finding, and nobody reads the log. Let it fail, above a severity
    if necessary, or upload its report.
    """

    ID = "DC218"
    NAME = "exit-zero-flag"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.TESTS
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "hidden-failure"
    KINDS = PIPELINES | {FileKind.SHELL}
    NEEDS = (
        "exit-code", "--exit-zero", "failure.ignore", "testFailureIgnore", "soft-fail", "soft_fail",
        "no-fail", "fail-build", "fail-on", "fail-never", "-fn", "--no-exit-on-warn", "warn-only",
    )  # fmt: skip
    CASE_PATH = "a.sh"
    VALID = [
        code("""
            trivy image --exit-code 1 web
        """),
        code("""
            trivy image --exit-code 0 --format sarif -o out.sarif web
        """),
    ]
    INVALID = [
        code(
            """
            scan:
              script:
                - «gitleaks detect --exit-code 0»
            """,
            path=".gitlab-ci.yml",
        ),
        code(
            """
            #!/bin/sh
            «./mvnw -B verify -Dmaven.test.failure.ignore=true»
            """,
            path="ci.sh",
        ),
    ]

    def run(self) -> None:
        for script in self.file.scripts:
            self._check_commands(script.commands)
        for _, step in self.file.workflow.all_steps if self.file.kind in STEPS else ():
            self._check_inputs(step)

    def _check_commands(self, commands: Sequence[Command]) -> None:
        for command in commands:
            name = program(command)
            if not _always_succeeds(command, name) or self.file.is_explained(command.start):
                continue
            if not any(program(one) == name and not _always_succeeds(one, name) for one in commands):
                message = f"{name} succeeds despite findings; let it fail"
                self.report_at(command.start, command.end, message)

    def _check_inputs(self, step: WorkflowStep) -> None:
        name, values = _INPUTS.get(step.action, ("", ()))
        key, value = step.inputs.key(name), step.inputs.scalar(name)
        if key is None or value is None or value.value not in values:
            return
        if "sarif" not in step.inputs.text("format") and not self.file.is_explained(key.start):
            self.report_at(key.start, value.end, "the check succeeds despite findings; let it fail")


_REPORTS = LazyPattern(
    r"sarif|--output|(?:^|\s)-o[ =]|--report|(?:^|\s)-f[ =]?\w*json|--format[ =]\S*(?:json|gitlab|template)"
)


def _always_succeeds(command: Command, name: str) -> bool:
    """Return True if an option suppresses the failure and the command does not write a report."""
    switch = _SWITCHES.get(name)
    if switch is None:
        return False
    text = " ".join(word.text for word in unwrapped(command))
    return re.search(switch, text) is not None and (name in ("mvn", "mvnw") or not _REPORTS.search(text))
