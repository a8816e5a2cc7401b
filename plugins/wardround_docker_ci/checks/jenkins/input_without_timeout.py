"""DC093."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import JENKINS, CiCheck


class InputWithoutTimeout(CiCheck):
    """An `input` step waits for a person without a timeout.

    A forgotten prompt blocks its executor or its position in the queue for weeks. Put a `timeout` around
    the input.
    """

    ID = "DC093"
    NAME = "input-without-timeout"
    MATURITY = Maturity.PREVIEW
    KINDS = JENKINS
    NEEDS = ("input",)
    CASE_PATH = "Jenkinsfile"
    VALID = [
        code("""
            timeout(time: 1, unit: 'HOURS') { input 'Deploy?' }
        """),
        code("""
            pipeline { options { timeout(time: 1, unit: 'DAYS') }
             stages { stage('a') { input { message 'b' } } } }
        """),
    ]
    INVALID = [
        code("""
            stage('Deploy') {
              «input» 'Deploy?'
            }
        """),
        code("""
            node { def a = «input»(message: 'Go?', ok: 'Yes') }
        """),
    ]

    def run(self) -> None:
        tokens = self.file.jenkinsfile.tokens
        has_option = any(t.text == "timeout" and t.kind == "word" and t.is_in("options") for t in tokens)
        for at, token in enumerate(tokens[:-1]):
            if token.kind != "word" or token.text != "input" or token.is_in("timeout") or has_option:
                continue
            following = tokens[at + 1]
            dotted = at > 0 and tokens[at - 1].text in (".", "def")
            prompts = following.kind == "string" or following.text in ("(", "{", "message", "id")
            if prompts and not dotted:
                self.report_at(token.start, token.end, "input may wait forever; put a timeout around it")
