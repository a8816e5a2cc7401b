"""DC095."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Severity
from wardround_docker_ci.check import JENKINS, CiCheck


class PipelineWithoutTimeout(CiCheck):
    """Nothing ends the pipeline when something in it hangs.

    It keeps its agent until somebody notices. Add `options { timeout(time: 1, unit: 'HOURS') }`.
    """

    ID = "DC095"
    NAME = "pipeline-without-timeout"
    SEVERITY = Severity.INFO
    OFF = "Most pipelines have none and most never hang."
    TRIED_ON = "trees of 27 repositories: 4 hits; 640 commits of 16 that touch such files: 0"
    KINDS = JENKINS
    NEEDS = ("pipeline",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("pipeline { options { timeout(time: 1, unit: 'HOURS') } }\n", path="Jenkinsfile"),
        Valid("node { sh 'make' }\n", path="Jenkinsfile"),
        Valid("pipeline { stages { stage('a') { steps { timeout(5) { sh 'x' } } } } }\n", path="Jenkinsfile"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("pipeline { agent any }\n", line=1, column=1, path="Jenkinsfile"),
        Invalid("// x\npipeline {\n  stages {}\n}\n", line=2, column=1, path="Jenkinsfile"),
        Invalid(
            "@Library('a') _\npipeline { options { timestamps() } }\n", line=2, column=1, path="Jenkinsfile"
        ),
    ]

    def run(self) -> None:
        tokens = self.file.jenkinsfile.tokens
        start = next(
            (t for t in tokens if t.text == "pipeline" and t.block is None and t.kind == "word"), None
        )
        if start is not None and not any(t.kind == "word" and t.text == "timeout" for t in tokens):
            self.report_at(start.start, start.end, "nothing ends this pipeline when a step hangs")
