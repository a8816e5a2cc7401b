"""DC093."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround_docker_ci.check import JENKINS, CiCheck


class InputWithoutTimeout(CiCheck):
    """The pipeline waits for a person for as long as it takes.

    A forgotten question keeps its executor or its place in the queue for weeks. Put a `timeout` around the
    input.
    """

    ID = "DC093"
    NAME = "input-without-timeout"
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = JENKINS
    NEEDS = ("input",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("timeout(time: 1, unit: 'HOURS') { input 'Deploy?' }\n", path="Jenkinsfile"),
        Valid(
            "pipeline { options { timeout(time: 1, unit: 'DAYS') }\n"
            " stages { stage('a') { input { message 'b' } } } }\n",
            path="Jenkinsfile",
        ),
        Valid("node { def input = 'a'; sh 'cat input' }\n", path="Jenkinsfile"),
        Valid(
            "stage('a') { options { timeout(time: 1, unit: 'DAYS') }\n steps { input 'b' } }\n",
            path="Jenkinsfile",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("stage('Deploy') {\n  input 'Deploy?'\n}\n", line=2, column=3, path="Jenkinsfile"),
        Invalid("node { def a = input(message: 'Go?', ok: 'Yes') }\n", line=1, column=16, path="Jenkinsfile"),
        Invalid(
            "pipeline { stages { stage('a') { input { message 'b' } } } }\n",
            line=1,
            column=34,
            path="Jenkinsfile",
        ),
    ]

    def run(self) -> None:
        tokens = self.file.jenkinsfile.tokens
        has_option = any(t.text == "timeout" and t.kind == "word" and t.is_in("options") for t in tokens)
        for at, token in enumerate(tokens[:-1]):
            if token.kind != "word" or token.text != "input" or token.is_in("timeout") or has_option:
                continue
            behind = tokens[at + 1]
            dotted = at > 0 and tokens[at - 1].text in (".", "def")
            asks = behind.kind == "string" or behind.text in ("(", "{", "message", "id")
            if asks and not dotted:
                self.report_at(token.start, token.end, "nobody may ever answer; put a timeout around it")
