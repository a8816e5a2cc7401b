"""DC083."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.late import LatePattern
from wardround_docker_ci import deployments, gitlab, workflow
from wardround_docker_ci.check import GITLAB, WORKFLOW, CiCheck
from wardround_docker_ci.yaml_tree import Mapping, Scalar

_CHOOSES = ("rules", "only", "except", "extends", "when", "trigger", "inherit", "<<")
_PER_BRANCH = LatePattern(
    r"review|preview|\$CI_COMMIT|\$CI_MERGE|feature|pr[-_/]|dynamic|stop", re.IGNORECASE
)
_ASKS_WHICH = LatePattern(
    r"\$(?:CI_COMMIT_(?:BRANCH|REF_NAME|TAG)|CI_DEFAULT_BRANCH|\{CI_COMMIT_\w+)|GITHUB_REF|github\.ref"
)


class DeploysEveryBranch(CiCheck):
    """The deployment runs for every branch, so a push to any of them puts unfinished work where users are.

    Say which branch or tag it is for: `rules` or `only` in GitLab, `branches` or `if` in a workflow.
    """

    ID = "DC083"
    NAME = "deploys-every-branch"
    DEFECT_CLASS = "deploys-every-branch"
    TRIED_ON = "trees of 79 repositories: no hit; only 1 of their files are GitLab pipelines"
    KINDS = GITLAB | WORKFLOW
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "deploy:\n  script: ./deploy.sh\n  rules:\n    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH\n",
            path=".gitlab-ci.yml",
        ),
        Valid(
            "workflow:\n  rules:\n    - if: $CI_COMMIT_TAG\ndeploy:\n  script: ./deploy.sh\n",
            path=".gitlab-ci.yml",
        ),
        Valid("deploy:\n  extends: .on-main\n  script: ./deploy.sh\n", path=".gitlab-ci.yml"),
        Valid(
            "deploy-review:\n  script: ./deploy.sh\n  environment: review/$CI_COMMIT_REF_SLUG\n",
            path=".gitlab-ci.yml",
        ),
        Valid("build:\n  script: make\n", path=".gitlab-ci.yml"),
        Valid(
            "on:\n  push:\n    branches: [main]\njobs:\n  deploy:\n    runs-on: x\n    steps:\n"
            "      - run: helm upgrade a b\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\njobs:\n  deploy:\n    if: github.ref == 'refs/heads/main'\n    runs-on: x\n"
            "    steps:\n"
            "      - run: helm upgrade a b\n",
            path=".github/workflows/a.yml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "test:\n  script: make\nship:\n  stage: deploy\n  script:\n    - ssh $HOST restart\n",
            line=3,
            column=1,
            path=".gitlab-ci.yml",
        ),
        Invalid("live:\n  script:\n    - kubectl apply -f k8s\n", line=1, column=1, path=".gitlab-ci.yml"),
        Invalid(
            "on: push\njobs:\n  deploy:\n    runs-on: x\n    steps:\n      - run: helm upgrade a b\n",
            line=3,
            column=3,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on:\n  push:\n    paths: [web/**]\njobs:\n  site:\n    runs-on: x\n    steps:\n"
            "      - run: npx wrangler deploy\n",
            line=5,
            column=3,
            path=".github/workflows/a.yml",
        ),
    ]

    def run(self) -> None:
        if self.file.kind in WORKFLOW:
            self._workflow()
        elif self.file.root.get("workflow") is None:
            for job in self.file.gitlab_jobs:
                if deployments.of_gitlab(job) and job.key is not None and not _is_chosen(job):
                    self.report_at(job.key.start, job.key.end, f'"{job.name}" deploys from every branch')

    def _workflow(self) -> None:
        flow = self.file.workflow
        push = flow.triggers.get("push")
        if push is None or (isinstance(push, Mapping) and (push.get("branches") or push.get("tags"))):
            return
        for job in flow.jobs:
            if job.key is None or job.condition is not None or not _changes_something(job):
                continue
            if not any(_waits_for_choice(flow, job)):
                self.report_at(job.key.start, job.key.end, f'"{job.name}" deploys from every branch')


def _is_chosen(job: gitlab.Job) -> bool:
    """Whether something says when the job runs, or what it deploys to depends on the branch."""
    node = job.node
    if any(node.get(key) is not None for key in _CHOOSES):
        return True
    place = (job.name, node.text("stage"), node.text("environment"), node.text("environment", "name"))
    if any(_PER_BRANCH.search(text) for text in place):
        return True
    return any(_ASKS_WHICH.search(line.value) for line in job.script_lines)


def _changes_something(job: workflow.Job) -> bool:
    steps = [step for step in job.steps if step.condition is None]
    runs = "\n".join(step.run.value for step in job.steps if step.run is not None)
    if _ASKS_WHICH.search(runs) or _PER_BRANCH.search(f"{job.name} {job.node.text('environment')}"):
        return False
    return any(
        deployments.ACTIONS.match(one.action)
        or (one.run is not None and deployments.COMMANDS.search(one.run.value))
        for one in steps
    )


def _waits_for_choice(flow: workflow.Workflow, job: workflow.Job) -> Sequence[bool]:
    """For each job it needs whether that has a condition, without which this one does not run either."""
    needed = {one.value for one in job.node.listed("needs") if isinstance(one, Scalar)}
    return [other.condition is not None for other in flow.jobs if other.name in needed]
