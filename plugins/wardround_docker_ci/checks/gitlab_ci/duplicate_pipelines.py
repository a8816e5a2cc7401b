"""DC201."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround.languages.yaml.tree import Mapping
from wardround_docker_ci.check import GITLAB, CiCheck

_CHANGE = LazyPattern(
    r"^\(?\$CI_PIPELINE_SOURCE == ['\"]merge_request_event['\"]\)?$|^\$CI_MERGE_REQUEST_I?ID$"
)
_BRANCH = LazyPattern(r"^\$CI_COMMIT_BRANCH$|^\$CI_PIPELINE_SOURCE == ['\"]push['\"]$")


class DuplicatePipelines(CiCheck):
    """The job's rules fit a merge request and the push to its branch, so every push runs it twice.

    GitLab makes a pipeline for either, and both show up at the merge request. Say in `workflow: rules` which
    of them there is to be, or ask for the default branch only: `$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH`.
    """

    ID = "DC201"
    NAME = "duplicate-pipelines"
    DEFECT_CLASS = "two-pipelines"
    SEVERITY = Severity.INFO
    TRIED_ON = "trees of 27 repositories, 5 of them with GitLab pipelines: no hit"
    KINDS = GITLAB
    NEEDS = ("merge_request_event", "CI_MERGE_REQUEST_I")
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "unit:\n  script: make\n  rules:\n    - if: $CI_PIPELINE_SOURCE == 'merge_request_event'\n"
            "    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH\n",
            path=".gitlab-ci.yml",
        ),
        Valid(
            "workflow:\n  rules:\n    - if: $CI_PIPELINE_SOURCE == 'merge_request_event'\nunit:\n"
            "  script: make\n  rules:\n    - if: $CI_PIPELINE_SOURCE == 'merge_request_event'\n"
            "    - if: $CI_COMMIT_BRANCH\n",
            path=".gitlab-ci.yml",
        ),
        Valid(
            "unit:\n  script: make\n  rules:\n    - if: $CI_PIPELINE_SOURCE == 'merge_request_event'\n"
            "    - if: $CI_COMMIT_BRANCH\n      when: manual\n",
            path=".gitlab-ci.yml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "unit:\n  script: make\n  rules:\n    - if: $CI_PIPELINE_SOURCE == 'merge_request_event'\n"
            "    - if: $CI_COMMIT_BRANCH\n",
            line=3,
            column=3,
            path=".gitlab-ci.yml",
        ),
        Invalid(
            "unit:\n  script: make\n  rules:\n    - if: '$CI_PIPELINE_SOURCE == \"merge_request_event\"'\n"
            "    - when: on_success\n",
            line=3,
            column=3,
            path=".gitlab-ci.yml",
        ),
        Invalid(
            "unit:\n  script: make\n  rules:\n    - if: $CI_MERGE_REQUEST_IID\n"
            "    - if: $CI_PIPELINE_SOURCE == 'push'\n",
            line=3,
            column=3,
            path=".gitlab-ci.yml",
        ),
    ]

    def run(self) -> None:
        if self.file.root.get("workflow") is not None or self.file.root.get("include") is not None:
            return
        for job in self.file.gitlab_jobs:
            rules = [rule for rule in job.node.listed("rules") if isinstance(rule, Mapping)]
            starts = [rule for rule in rules if rule.text("when") in ("", "on_success", "always")]
            refused = any(rule.text("when") == "never" for rule in rules)
            for_change = any(_CHANGE.match(_condition(rule)) for rule in starts)
            for_branch = any(
                _BRANCH.match(_condition(rule))
                or not any(rule.get(key) is not None for key in ("if", "changes", "exists", "<<"))
                for rule in starts
            )
            key = job.node.key("rules")
            if for_change and for_branch and not refused and key is not None:
                said = "a push to the branch of a merge request runs this twice"
                self.report_at(key.start, key.end, said)


def _condition(rule: Mapping) -> str:
    return re.sub(r"\s+", " ", rule.text("if")).strip()
