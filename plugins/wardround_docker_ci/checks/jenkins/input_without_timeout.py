from __future__ import annotations

from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_docker_ci.analysis.jenkins_inputs import unlimited_inputs
from wardround_docker_ci.check import JENKINS, CiCheck


class InputWithoutTimeout(CiCheck):
    """An `input` step waits for a person without a timeout.

    A forgotten prompt blocks its executor or its position in the queue for weeks. Put a `timeout` around
    the input.
    """

    ID = "DC093"
    NAME = "input-without-timeout"
    DEFECT_CLASS = "pipeline-without-timeout"
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
        for token in unlimited_inputs(self.file.jenkinsfile.tokens):
            self.report_at(token.start, token.end, "input may wait forever; put a timeout around it")
