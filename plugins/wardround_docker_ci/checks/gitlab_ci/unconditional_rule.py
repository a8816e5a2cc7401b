from __future__ import annotations

import re
from collections.abc import Sequence

from wardround.languages.yaml.nodes import Mapping
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_docker_ci.analysis import deployments
from wardround_docker_ci.check import GITLAB, CiCheck
from wardround_docker_ci.models.gitlab import GitlabJob, inherited_value
from wardround_docker_ci.models.node_lists import mappings

_NARROWS = ("if", "changes", "exists")
_STARTS = ("", "on_success", "always", "delayed")
_PER_BRANCH = LazyPattern(
    r"review|preview|feature|pr[-_/]|stop|\$CI_(?:COMMIT|MERGE)|cleanup|teardown|rollback", re.IGNORECASE
)


class UnconditionalRule(CiCheck):
    """A rule of the job has no condition, so the other rules have no effect.

    GitLab uses the first rule that matches. A deployment whose last rule has no condition runs for every
    branch that the rules before it do not match; rules after one without a condition are never evaluated.
    End the list with `when: never`, or with the last condition.
    """

    ID = "DC200"
    NAME = "unconditional-rule"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "deploys-every-branch"
    KINDS = GITLAB
    NEEDS = ("rules:",)
    CASE_PATH = ".gitlab-ci.yml"
    VALID = [
        code("""
            deploy:
              script: ./deploy.sh
              rules:
                - if: $CI_COMMIT_TAG
                - when: never
        """),
        code("""
            deploy:
              script: ./deploy.sh
              rules:
                - if: $CI_COMMIT_TAG
                - when: manual
        """),
    ]
    INVALID = [
        code("""
            deploy:
              script: ./deploy.sh
              rules:
                - if: $CI_COMMIT_TAG
                  when: manual
                - «when: on_success»
        """),
        code(
            """
            .ship:
              script: helm upgrade web ./chart
            live:
              extends: .ship
              environment: production
              rules:
                - if: $CI_COMMIT_BRANCH == 'main'
                - «allow_failure: true»
            """,
            path="ci/live.gitlab-ci.yml",
        ),
    ]

    def run(self) -> None:
        for job in self.file.gitlab_jobs:
            rules = mappings(job.node.items_at("rules"))
            bare = next((at for at, rule in enumerate(rules) if _is_bare(rule)), None)
            if bare is not None:
                self._check(job, rules[:bare], rules[bare], is_last=bare == len(rules) - 1)

    def _check(self, job: GitlabJob, earlier: Sequence[Mapping], rule: Mapping, *, is_last: bool) -> None:
        if not is_last:
            self._report(rule, "this rule matches every pipeline, so the rules after it have no effect")
        elif (
            rule.text("when") in _STARTS
            and any(map(_is_conditional, earlier))
            and self._deploys_to_production(job)
        ):
            message = f'"{job.name}" also runs for everything that the rules before do not match'
            self._report(rule, message)

    def _report(self, rule: Mapping, message: str) -> None:
        key, value = rule.entries[0]
        self.report_at(key.start, value.end, message)

    def _deploys_to_production(self, job: GitlabJob) -> bool:
        root = self.file.root
        location = inherited_value(root, job.node, "environment")
        name = location.text("name") if isinstance(location, Mapping) else getattr(location, "value", "")
        if _PER_BRANCH.search(f"{job.name} {job.node.text('stage')} {name}"):
            return False
        return deployments.is_gitlab_deployment(job) or location is not None


def _is_bare(rule: Mapping) -> bool:
    return (
        bool(rule.entries)
        and not any(rule.get(key) is not None for key in (*_NARROWS, "<<"))
        and not re.search(r"^!", rule.entries[0][0].value)
    )


def _is_conditional(rule: Mapping) -> bool:
    return rule.get("if") is not None and rule.text("when") != "never"
