"""DC083: deploys every branch."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.languages.yaml.nodes import Mapping, Scalar
from wardround.rules.maturity import Maturity
from wardround_docker_ci.analysis import deployments
from wardround_docker_ci.check import GITLAB, WORKFLOW, CiCheck
from wardround_docker_ci.models import github_workflow, gitlab
from wardround_docker_ci.models.node_lists import mappings

_CHOOSES = ("rules", "only", "except", "extends", "when", "trigger", "inherit", "<<")
_PER_BRANCH = LazyPattern(
    r"review|preview|\$CI_COMMIT|\$CI_MERGE|feature|pr[-_/]|dynamic|stop", re.IGNORECASE
)
_OF_A_CHANGE = LazyPattern(
    r"\$CI_PIPELINE_SOURCE\s*==\s*['\"]merge_request_event['\"]$|\$CI_MERGE_REQUEST_I?ID$"
)
_TESTS_BRANCH = LazyPattern(
    r"\$(?:CI_COMMIT_(?:BRANCH|REF_NAME|TAG)|CI_DEFAULT_BRANCH|\{CI_COMMIT_\w+)|GITHUB_REF|github\.ref"
)


class DeploysEveryBranch(CiCheck):
    """A deployment runs for every branch, so a push to any of them deploys unfinished work.

    Restrict it to a branch or tag: `rules` or `only` in GitLab, `branches` or `if` in a workflow.
    """

    ID = "DC083"
    NAME = "deploys-every-branch"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "deploys-every-branch"
    KINDS = GITLAB | WORKFLOW
    CASE_PATH = ".gitlab-ci.yml"
    VALID = [
        code("""
            deploy:
              script: ./deploy.sh
              rules:
                - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
        """),
        code("""
            workflow:
              rules:
                - if: $CI_COMMIT_TAG
            deploy:
              script: ./deploy.sh
        """),
    ]
    INVALID = [
        code("""
            test:
              script: make
            «ship»:
              stage: deploy
              script:
                - ssh $HOST restart
        """),
        code("""
            «live»:
              script:
                - kubectl apply -f k8s
        """),
    ]

    def run(self) -> None:
        if self.file.kind in WORKFLOW:
            self._workflow()
        elif self.file.root.get("workflow") is None:
            for job in self.file.gitlab_jobs:
                if deployments.of_gitlab(job) and job.key is not None and not _is_chosen(job):
                    self.report_at(
                        job.key.start,
                        job.key.end,
                        f'"{job.name}" deploys from every branch; restrict it with rules',
                    )
                elif deployments.of_gitlab(job) and not _is_per_branch(job):
                    self._unreviewed(job)

    def _unreviewed(self, job: gitlab.GitlabJob) -> None:
        """Report a deployment of an unmerged merge request, or of all branches except some tags."""
        for rule in mappings(job.node.listed("rules")) if _is_live(job) else ():
            condition = rule.scalar("if")
            message = "" if condition is None else _unreviewed_condition(condition.value.strip(), job.name)
            if condition is not None and message and rule.text("when") in _STARTS:
                text = self.file.passage(condition)
                self.report_at(text.start, text.end, message)
        self._by_files(job)
        self._by_branches(job)
        self._by_exceptions(job)

    def _by_exceptions(self, job: gitlab.GitlabJob) -> None:
        """Report an ``except`` without branches."""
        key = job.node.key("except")
        names = {getattr(one, "value", "branches") for one in job.node.listed("except")}
        others = ("only", "rules", "extends", "when", "<<")
        is_alone = not any(job.node.get(other) is not None for other in others)
        if key is not None and is_alone and names <= _NO_BRANCHES:
            self.report_at(key.start, key.end, f'"{job.name}" still deploys from every branch')

    def _by_files(self, job: gitlab.GitlabJob) -> None:
        """Report rules that depend on changed files only, never on the branch."""
        rules = mappings(job.node.listed("rules"))
        keys = [rule.key("changes") or rule.key("exists") for rule in rules if _is_single_start(rule)]
        key = keys[0] if keys else None
        if key is not None and len(keys) == len(rules) and all(keys):
            message = f'"{job.name}" deploys from every branch that changes these files'
            self.report_at(key.start, key.end, message)

    def _by_branches(self, job: gitlab.GitlabJob) -> None:
        """Report an ``only`` of all branches."""
        only = job.node.key("only")
        names = {getattr(one, "value", "") for one in job.node.listed("only")}
        if only is not None and names == {"branches"}:
            self.report_at(only.start, only.end, f'"{job.name}" deploys from every branch; name the branch')

    def _of_a_pull_request(self) -> None:
        """Report a production deployment that runs for pull requests."""
        if "pull_request" not in self.file.workflow.triggers:
            return
        for job in self.file.workflow.jobs:
            environment = job.node.text("environment") or job.node.text("environment", "name")
            condition = job.condition
            if condition is None or not re.search(r"\b(?:prod|production|live)\b", environment):
                continue
            found = re.search(r"event_name\s*==\s*'pull_request'", condition.value)
            if found is not None and not re.search(r"closed|merged", condition.value):
                text = self.file.passage(condition)
                self.report_at(text.start, text.end, f'"{job.name}" deploys an unmerged change')

    def _workflow(self) -> None:
        self._of_a_pull_request()
        flow = self.file.workflow
        push = flow.triggers.get("push")
        if push is None or (isinstance(push, Mapping) and (push.get("branches") or push.get("tags"))):
            return
        for job in flow.jobs:
            if job.key is None or job.condition is not None or not _changes_something(job):
                continue
            if not any(_needs_conditional_jobs(flow, job)):
                self.report_at(
                    job.key.start,
                    job.key.end,
                    f'"{job.name}" deploys from every branch; restrict it with branches or if',
                )


def _is_chosen(job: gitlab.GitlabJob) -> bool:
    """Return True if the job has a condition, or its target depends on the branch."""
    node = job.node
    if any(node.get(key) is not None for key in _CHOOSES):
        return True
    return _is_per_branch(job) or any(_TESTS_BRANCH.search(line.value) for line in job.script_lines)


def _is_per_branch(job: gitlab.GitlabJob) -> bool:
    return any(_PER_BRANCH.search(text) for text in _environment_names(job))


def _is_live(job: gitlab.GitlabJob) -> bool:
    return any(re.search(r"\b(?:prod|production|live)\b", text) for text in _environment_names(job))


def _environment_names(job: gitlab.GitlabJob) -> tuple[str, ...]:
    node = job.node
    return (job.name, node.text("stage"), node.text("environment"), node.text("environment", "name"))


def _changes_something(job: github_workflow.WorkflowJob) -> bool:
    steps = [step for step in job.steps if step.condition is None]
    runs = "\n".join(step.run.value for step in job.steps if step.run is not None)
    if _TESTS_BRANCH.search(runs) or _PER_BRANCH.search(f"{job.name} {job.node.text('environment')}"):
        return False
    return any(
        deployments.ACTIONS.match(one.action)
        or (one.run is not None and deployments.COMMANDS.search(one.run.value))
        for one in steps
    )


def _needs_conditional_jobs(
    flow: github_workflow.Workflow, job: github_workflow.WorkflowJob
) -> Sequence[bool]:
    """Return for each needed job if it has a condition; when it is skipped, this job is skipped too."""
    needed = {one.value for one in job.node.listed("needs") if isinstance(one, Scalar)}
    return [other.condition is not None for other in flow.jobs if other.name in needed]


def _is_single_start(rule: Mapping) -> bool:
    return rule.text("when") in _STARTS and len(rule.entries) == 1


def _unreviewed_condition(condition: str, name: str) -> str:
    """Return why a rule's condition matches unreviewed changes; empty if it does not."""
    if _OF_A_CHANGE.match(condition):
        return f'"{name}" deploys an unmerged change'
    if condition == "$CI_COMMIT_BRANCH":
        return f'CI_COMMIT_BRANCH is set for every branch, so "{name}" deploys from all of them'
    return ""


_STARTS = ("", "on_success", "always")
_NO_BRANCHES = frozenset({"tags", "schedules", "triggers", "merge_requests", "web"})
