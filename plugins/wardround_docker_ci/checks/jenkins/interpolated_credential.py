"""DC091."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_docker_ci.check import JENKINS, CiCheck
from wardround_docker_ci.models.jenkinsfile import SHELL_STEPS


class InterpolatedCredential(CiCheck):
    """Groovy fills a credential into the script before the shell sees it.

    It then stands in the process list and in the step's stored arguments, and a quote in it breaks the
    script. Use single quotes: the shell has the variable in its environment.
    """

    ID = "DC091"
    NAME = "interpolated-credential"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "credential-interpolated"
    TRIED_ON = "trees of 27 repositories: 1 hits; 640 commits of 16 that touch such files: 0"
    KINDS = JENKINS
    NEEDS = ("redentials",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "withCredentials([string(credentialsId: 'a', variable: 'TOKEN')]) { sh 'curl -H \"$TOKEN\" "
            "x' }\n",
            path="Jenkinsfile",
        ),
        Valid(
            "withCredentials([string(credentialsId: 'a', variable: 'TOKEN')]) { sh \"x ${name}\" }\n",
            path="Jenkinsfile",
        ),
        Valid(
            "withCredentials([string(credentialsId: 'a', variable: 'TOKEN')]) { sh \"curl \\$TOKEN "
            '${name}" }\n',
            path="Jenkinsfile",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "withCredentials([string(credentialsId: 'a', variable: 'T')]) {\n  echo \"with ${T}\"\n}\n",
            line=2,
            column=14,
            path="Jenkinsfile",
        ),
        Invalid(
            "withCredentials([string(credentialsId: 'a', variable: 'TOKEN')]) {\n"
            '  sh "curl -H ${TOKEN} x"\n}\n',
            line=2,
            column=15,
            path="Jenkinsfile",
        ),
        Invalid(
            "withCredentials([usernamePassword(credentialsId: 'a', usernameVariable: 'U', "
            "passwordVariable: 'P')]) {\n"
            '  sh "docker login -u x -p $P"\n}\n',
            line=2,
            column=28,
            path="Jenkinsfile",
        ),
        Invalid(
            "pipeline { environment { KEY = credentials('a') }\n  stages { stage('x') { steps {\n"
            '    sh "deploy ${env.KEY}" } } } }\n',
            line=3,
            column=16,
            path="Jenkinsfile",
        ),
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
                            found.start, found.end, f"{name} is filled in by Groovy; use single quotes"
                        )
