"""DC093: input without timeout."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import JENKINS, CiCheck
from wardround_docker_ci.models.jenkinsfile import GroovyToken


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
        if any(t.text == "timeout" and t.kind == "word" and t.is_in("options") for t in tokens):
            return
        for previous, token, following in zip((None, *tokens), tokens, tokens[1:], strict=False):
            is_call = previous is None or previous.text not in (".", "def")
            if is_call and _is_input(token, following) and not token.is_in("timeout"):
                self.report_at(token.start, token.end, "input may wait forever; put a timeout around it")


def _is_input(token: GroovyToken, following: GroovyToken) -> bool:
    prompts = following.kind == "string" or following.text in ("(", "{", "message", "id")
    return token.kind == "word" and token.text == "input" and prompts
