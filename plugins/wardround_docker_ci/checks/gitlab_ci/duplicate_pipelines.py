from __future__ import annotations

import re
from collections.abc import Sequence

from wardround.findings import Severity
from wardround.languages.yaml.nodes import Mapping
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import GITLAB, CiCheck
from wardround_docker_ci.models.node_lists import mappings

_CHANGE = LazyPattern(
    r"^\(?\$CI_PIPELINE_SOURCE == ['\"]merge_request_event['\"]\)?$|^\$CI_MERGE_REQUEST_I?ID$"
)
_BRANCH = LazyPattern(r"^\$CI_COMMIT_BRANCH$|^\$CI_PIPELINE_SOURCE == ['\"]push['\"]$")


class DuplicatePipelines(CiCheck):
    """A job's rules match both a merge request and the push to its branch, so every push runs it twice.

    GitLab creates a pipeline for each, and both appear at the merge request. Choose one of them in
    `workflow: rules`, or restrict the job to the default branch: `$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH`.
    """

    ID = "DC201"
    NAME = "duplicate-pipelines"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "two-pipelines"
    SEVERITY = Severity.INFO
    KINDS = GITLAB
    NEEDS = ("merge_request_event", "CI_MERGE_REQUEST_I")
    CASE_PATH = ".gitlab-ci.yml"
    VALID = [
        code("""
            unit:
              script: make
              rules:
                - if: $CI_PIPELINE_SOURCE == 'merge_request_event'
                - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
        """),
        code("""
            workflow:
              rules:
                - if: $CI_PIPELINE_SOURCE == 'merge_request_event'
            unit:
              script: make
              rules:
                - if: $CI_PIPELINE_SOURCE == 'merge_request_event'
                - if: $CI_COMMIT_BRANCH
        """),
    ]
    INVALID = [
        code("""
            unit:
              script: make
              «rules»:
                - if: $CI_PIPELINE_SOURCE == 'merge_request_event'
                - if: $CI_COMMIT_BRANCH
        """),
        code("""
            unit:
              script: make
              «rules»:
                - if: '$CI_PIPELINE_SOURCE == "merge_request_event"'
                - when: on_success
        """),
    ]

    def run(self) -> None:
        if self.file.root.get("workflow") is not None or self.file.root.get("include") is not None:
            return
        for job in self.file.gitlab_jobs:
            key = job.node.key("rules")
            if key is not None and _runs_twice(mappings(job.node.items_at("rules"))):
                message = "a push to the branch of a merge request runs this job twice; add workflow: rules"
                self.report_at(key.start, key.end, message)


def _condition(rule: Mapping) -> str:
    return re.sub(r"\s+", " ", rule.text("if")).strip()


def _runs_twice(rules: Sequence[Mapping]) -> bool:
    """Return True if rules match a merge request and a push to its branch."""
    if any(rule.text("when") == "never" for rule in rules):
        return False
    starts = [rule for rule in rules if rule.text("when") in ("", "on_success", "always")]
    for_change = any(_CHANGE.match(_condition(rule)) for rule in starts)
    return for_change and any(_matches_branch(rule) for rule in starts)


def _matches_branch(rule: Mapping) -> bool:
    is_unconditional = all(rule.get(key) is None for key in ("if", "changes", "exists", "<<"))
    return is_unconditional or _BRANCH.match(_condition(rule)) is not None
