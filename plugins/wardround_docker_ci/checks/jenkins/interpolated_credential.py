from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_docker_ci.check import JENKINS, CiCheck
from wardround_docker_ci.models.jenkinsfile import SHELL_STEPS


class InterpolatedCredential(CiCheck):
    """Groovy interpolates a credential into the script before the shell runs it.

    It is then visible in the process list and in the step's stored arguments, and a quote in it breaks the
    script. Use single quotes: the shell reads the variable from its environment.
    """

    ID = "DC091"
    NAME = "interpolated-credential"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "credential-interpolated"
    KINDS = JENKINS
    NEEDS = ("redentials",)
    CASE_PATH = "Jenkinsfile"
    VALID = [
        code("""
            withCredentials([string(credentialsId: 'a', variable: 'TOKEN')]) { sh 'curl -H "$TOKEN" x' }
        """),
        code("""
            withCredentials([string(credentialsId: 'a', variable: 'TOKEN')]) { sh "x ${name}" }
        """),
    ]
    INVALID = [
        code("""
            withCredentials([string(credentialsId: 'a', variable: 'T')]) {
              echo "with «${T}»"
            }
        """),
        code("""
            withCredentials([string(credentialsId: 'a', variable: 'TOKEN')]) {
              sh "curl -H «${TOKEN}» x"
            }
        """),
    ]

    def run(self) -> None:
        names = self.file.jenkinsfile.bound
        steps = [
            call
            for call in self.file.jenkinsfile.calls
            if call.name.text in SHELL_STEPS | {"echo", "println"}
        ]
        for call in steps:
            for token in call.script:
                for found in token.interpolations:
                    name = found.inside.removeprefix("env.")
                    if name in names:
                        self.report_at(
                            found.start, found.end, f"{name} is interpolated by Groovy; use single quotes"
                        )
