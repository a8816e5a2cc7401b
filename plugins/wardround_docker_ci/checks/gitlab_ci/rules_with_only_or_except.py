from __future__ import annotations

from wardround.findings import Severity
from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import GITLAB, CiCheck


class RulesWithOnlyOrExcept(CiCheck):
    """A job has both `rules` and `only` or `except`.

    GitLab rejects the pipeline: a job uses one of the two. Move the conditions of `only` and `except` into
    `rules`.
    """

    ID = "DC122"
    NAME = "rules-with-only-or-except"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "invalid-workflow"
    KINDS = GITLAB
    NEEDS = ("rules",)
    CASE_PATH = ".gitlab-ci.yml"
    VALID = [
        code("""
            a:
              script: [make]
              rules: [{when: always}]
        """),
        code("""
            a:
              script: [make]
              only: [main]
            b:
              script: [x]
              rules: []
        """),
    ]
    INVALID = [
        code("""
            a:
              script: [make]
              «only»: [main]
              rules: [{when: always}]
        """),
        code("""
            a:
              rules:
                - when: manual
              «except»:
                - tags
              script: [x]
        """),
    ]

    def run(self) -> None:
        for job in self.file.gitlab_jobs:
            key = job.node.key("only") or job.node.key("except")
            if key is not None and job.key is not None and job.node.key("rules") is not None:
                self.report_at(
                    key.start,
                    key.end,
                    f"GitLab rejects a job with both {key.value} and rules; move it into rules",
                )
