"""DC122."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Severity
from wardround_docker_ci.check import GITLAB, CiCheck


class RulesWithOnlyOrExcept(CiCheck):
    """A job has `rules` beside `only` or `except`.

    GitLab refuses the whole pipeline: a job says by one of the two when it runs. Move what `only` and
    `except` say into `rules`.
    """

    ID = "DC122"
    NAME = "rules-with-only-or-except"
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "invalid-workflow"
    TRIED_ON = "trees of 85 repositories: no hit; only 1 of their files are GitLab pipelines"
    KINDS = GITLAB
    NEEDS = ("rules",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("a:\n  script: [make]\n  rules: [{when: always}]\n", path=".gitlab-ci.yml"),
        Valid(
            "a:\n  script: [make]\n  only: [main]\nb:\n  script: [x]\n  rules: []\n", path=".gitlab-ci.yml"
        ),
        Valid(
            "workflow:\n  rules: [{when: always}]\na:\n  script: [x]\n  only: [main]\n", path=".gitlab-ci.yml"
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "a:\n  script: [make]\n  only: [main]\n  rules: [{when: always}]\n",
            line=3,
            column=3,
            path=".gitlab-ci.yml",
        ),
        Invalid(
            "a:\n  rules:\n    - when: manual\n  except:\n    - tags\n  script: [x]\n",
            line=4,
            column=3,
            path=".gitlab-ci.yml",
        ),
        Invalid(
            ".base:\n  rules: [{when: always}]\n  only: [tags]\na:\n  extends: .base\n  script: [x]\n",
            line=3,
            column=3,
            path=".gitlab-ci.yml",
        ),
    ]

    def run(self) -> None:
        for job in self.file.gitlab_jobs:
            key = job.node.key("only") or job.node.key("except")
            if key is not None and job.key is not None and job.node.key("rules") is not None:
                self.report_at(
                    key.start, key.end, f"{key.value} and rules in one job: GitLab refuses the pipeline"
                )
