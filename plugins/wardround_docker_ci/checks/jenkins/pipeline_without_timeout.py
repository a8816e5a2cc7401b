from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from wardround.findings import Severity
from wardround.rules.cases import code
from wardround_docker_ci.analysis import deployments
from wardround_docker_ci.analysis.jenkins_inputs import unlimited_inputs
from wardround_docker_ci.check import JENKINS, CiCheck
from wardround_docker_ci.libraries.commands import WAITS
from wardround_docker_ci.models.jenkinsfile import GroovyToken

_UNATTENDED = ("cron", "pollSCM", "waitUntil", "lock")


class PipelineWithoutTimeout(CiCheck):
    """A pipeline that deploys, waits or runs unattended has no timeout.

    If it hangs, it blocks its agent until somebody notices. Add `options { timeout(time: 1, unit: 'HOURS')
    }`. It is reported at the first `input` that may wait forever, if there is one.
    """

    ID = "DC095"
    NAME = "pipeline-without-timeout"
    SEVERITY = Severity.INFO
    KINDS = JENKINS
    NEEDS = ("pipeline", "node")
    CASE_PATH = "Jenkinsfile"
    VALID = [
        code("""
            pipeline { options { timeout(time: 1, unit: 'HOURS') } }
        """),
        code("""
            pipeline { agent any }
        """),
    ]
    INVALID = [
        code("""
            def runs = [:]
            runs['a'] = {
              «node»('linux') {
                sh 'kubectl apply -f a'
              }
            }
        """),
        code("""
            // x
            «pipeline» {
              triggers { cron('H 2 * * *') }
            }
        """),
    ]

    def run(self) -> None:
        tokens = self.file.jenkinsfile.tokens
        start = _start_of(tokens)
        if start is None or any(token.kind == "word" and token.text == "timeout" for token in tokens):
            return
        options = _options_of_pipeline(tokens)
        if options is None and not self._may_wait():
            return
        location = next(unlimited_inputs(tokens), None) or options or start
        message = "the pipeline has no timeout for a step that hangs; add one to its options"
        self.report_at(location.start, location.end, message)

    def _may_wait(self) -> bool:
        """Return True if the pipeline is unattended, or may wait forever."""
        words = {token.text for token in self.file.jenkinsfile.tokens if token.kind == "word"}
        if not words.isdisjoint(_UNATTENDED):
            return True
        scripts = (token.text for call in self.file.jenkinsfile.shell_steps for token in call.script)
        return any(WAITS.search(text) or deployments.COMMANDS.search(text) for text in scripts)


def _options_of_pipeline(tokens: Sequence[GroovyToken]) -> GroovyToken | None:
    for token in tokens:
        if token.text == "options" and token.is_in("pipeline"):
            return token
    return None


def _first_node(tokens: Sequence[GroovyToken]) -> GroovyToken | None:
    """Return the first ``node`` that opens a block."""
    for token, following in pairwise(tokens):
        if token.kind == "word" and token.text == "node" and following.text in ("{", "("):
            return token
    return None


def _start_of(tokens: Sequence[GroovyToken]) -> GroovyToken | None:
    """Return the top-level ``pipeline``, else the first ``node`` that opens a block."""
    words = (token for token in tokens if token.kind == "word" and token.block is None)
    return next((word for word in words if word.text == "pipeline"), None) or _first_node(tokens)
