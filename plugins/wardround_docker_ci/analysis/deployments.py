"""Jobs that deploy or publish, recognized by their names, commands and actions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wardround.lazy import LazyPattern

if TYPE_CHECKING:
    from wardround_docker_ci.models import github_workflow, gitlab

NAMED = LazyPattern(
    r"(?:^|[-_\s/.:])(?:re)?deploy(?:s|ment|ments)?(?:$|[-_\s/.:])|(?:^|[-_\s])(?:roll-?out|go-live)(?:$|[-_\s])",
    re.IGNORECASE,
)
"""Names of jobs and stages that deploy."""
COMMANDS = LazyPattern(
    r"\bkubectl\b[^\n|;&]*\s(?:apply|rollout restart|set image|replace)\b"
    r"|\bhelm(?:file)?\b[^\n|;&]*\s(?:upgrade|install|sync|apply)\b"
    r"|\b(?:terraform|tofu|terragrunt)\b[^\n|;&]*\sapply\b|\bpulumi\b[^\n|;&]*\sup\b"
    r"|\b(?:aws-)?cdk\S*\s+deploy\b|\baws\s+(?:s3\s+sync\b|ecs\s+update-service\b|lambda\s+update-function-code\b"
    r"|cloudformation\s+deploy\b|deploy\s+create-deployment\b|elasticbeanstalk\s+update-environment\b)"
    r"|\b(?:wrangler|serverless|sls|firebase|flyctl|fly|netlify|gcloud\s+(?:run|app|functions)|eb|sam|copilot"
    r"|amplify|now|railway)\s+(?:deploy|publish|up)\b"
    r"|\bvercel\b[^\n|;&]*--prod\b|\bansible-playbook\b[^\n|;&]*deploy|\bcap\s+\w+\s+deploy\b"
    r"|\bgit push (?:heroku|dokku)\b|\bargocd\s+app\s+sync\b|\bnomad\s+(?:job\s+)?run\b"
    r"|\bdocker\s+stack\s+deploy\b"
    r"|\brsync\b[^\n|;&]*\s\S+@\S+:|\bscp\b[^\n|;&]*\s\S+@\S+:"
)
"""Commands that change a running system."""
ACTIONS = LazyPattern(
    r"actions/deploy-pages|peaceiris/actions-gh-pages|jamesives/github-pages-deploy-action"
    r"|cloudflare/(?:wrangler|pages)-action|amondnet/vercel-action|appleboy/(?:ssh|scp)-action"
    r"|superfly/flyctl-actions|azure/(?:webapps-deploy|functions-action|k8s-deploy|aks-set-context)"
    r"|aws-actions/amazon-ecs-deploy-task-definition|google-github-actions/deploy-\w+|nwtgck/actions-netlify"
    r"|akhileshns/heroku-deploy|firebaseextended/action-hosting-deploy"
)
"""Actions that deploy, in lower case."""

_ENVIRONMENTS = LazyPattern(
    r"(?:^|[-_\s/])(?:prod|production|stag(?:e|ing)|live|uat|preprod|demo)(?:$|[-_\s/])", re.IGNORECASE
)
_PUBLISHES = LazyPattern(
    r"pypi-publish|\btwine\s+upload|\b(?:npm|pnpm|yarn|cargo|poetry|uv|flit|hatch|lerna|gem"
    r"|dotnet nuget)\s+(?:npm\s+)?"
    r"(?:publish|push)|changesets/action|goreleaser|gh-release|gh release (?:create|upload)"
)


def is_workflow_deployment(job: github_workflow.WorkflowJob) -> bool:
    """Return True if a workflow job deploys, by its name, its environment or one of its steps.

    Publishing a package is not a deployment: a published version never changes.
    """
    if any(runs_deployment(step) for step in job.steps):
        return True
    is_named = _deploys_to_environment(job) or NAMED.search(job.name) is not None
    return bool(is_named and job.steps) and not publishes_release(job)


def runs_deployment(step: github_workflow.WorkflowStep) -> bool:
    """Return True if a step runs a deployment command or action."""
    if ACTIONS.match(step.action):
        return True
    return step.run is not None and COMMANDS.search(step.run.value) is not None


def _deploys_to_environment(job: github_workflow.WorkflowJob) -> bool:
    environment = job.node.text("environment") or job.node.text("environment", "name")
    scripts = (step.run.value for step in job.steps if step.run is not None)
    return _ENVIRONMENTS.search(environment) is not None and any("deploy" in text for text in scripts)


def publishes_release(job: github_workflow.WorkflowJob) -> bool:
    """Return True if a job publishes a package or release."""
    return any(_is_publishing_step(step) for step in job.steps)


def _is_publishing_step(step: github_workflow.WorkflowStep) -> bool:
    return bool(_PUBLISHES.search(step.run.value if step.run is not None else step.action))


def is_gitlab_deployment(job: gitlab.GitlabJob) -> bool:
    """Return True if a job of a GitLab pipeline deploys."""
    if job.key is None or job.name.startswith("."):
        return False
    if NAMED.search(job.name) or NAMED.search(job.node.text("stage")):
        return True
    return job.node.get("environment") is not None or any(
        COMMANDS.search(line.value) for line in job.script_lines
    )
