"""DC094."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane
from wardround_docker_ci.check import JENKINS, CiCheck
from wardround_docker_ci.jenkinsfile import Token
from wardround_docker_ci.programs import is_test
from wardround_docker_ci.shell import commands


class StatusIgnored(CiCheck):
    """A shell step hands its exit status back, and nobody looks at it.

    With `returnStatus: true` the step never fails, so the build goes on whatever happened. Compare the
    answer, or leave the option out.
    """

    ID = "DC094"
    NAME = "status-ignored"
    DEFECT_CLASS = "hidden-failure"
    PLANE = Plane.TESTS
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = JENKINS
    NEEDS = ("returnStatus", "catchError")
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("node { def rc = sh(script: 'make', returnStatus: true) }\n", path="Jenkinsfile"),
        Valid(
            "node { if (sh(script: 'make', returnStatus: true) != 0) { error 'x' } }\n", path="Jenkinsfile"
        ),
        Valid("node { sh script: 'make', returnStatus: false }\n", path="Jenkinsfile"),
        Valid("def f() { return sh(script: 'make', returnStatus: true) }\n", path="Jenkinsfile"),
        Valid("node { sh(script: 'docker rm x', returnStatus: true) }\n", path="Jenkinsfile"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "node {\n  catchError(buildResult: 'SUCCESS') {\n    sh 'npm test'\n  }\n}\n",
            line=3,
            column=5,
            path="Jenkinsfile",
        ),
        Invalid(
            "node { sh(script: 'make test', returnStatus: true) }\n", line=1, column=8, path="Jenkinsfile"
        ),
        Invalid(
            'node {\n  sh script: "npm test", returnStatus: true\n}\n', line=2, column=3, path="Jenkinsfile"
        ),
        Invalid(
            "node { sh(returnStatus: true, script: '''\n  pytest\n''') }\n",
            line=1,
            column=8,
            path="Jenkinsfile",
        ),
    ]

    def run(self) -> None:
        for call in self.file.jenkinsfile.shell_steps:
            asked = call.named("returnStatus")
            runs_tests = any(is_test(one) for token in call.script for one in commands(token.passage()))
            if asked is not None and asked.text == "true" and not call.assigned and runs_tests:
                self.report_at(call.name.start, call.name.end, "tests run here and their status goes nowhere")
        for call in self.file.jenkinsfile.shell_steps:
            block = call.name.block
            outer = next((one for one in block.chain() if one.name == "catchError"), None) if block else None
            if (
                outer is not None
                and _stays_green(outer.given)
                and any(is_test(one) for token in call.script for one in commands(token.passage()))
            ):
                self.report_at(
                    call.name.start, call.name.end, "tests run here and the build stays green when they fail"
                )


def _stays_green(given: Sequence[Token]) -> bool:
    texts = [token.text for token in given]
    return any(texts[at : at + 3] == ["buildResult", ":", "SUCCESS"] for at in range(len(texts))) and not any(
        texts[at : at + 2] == ["stageResult", ":"] for at in range(len(texts))
    )
