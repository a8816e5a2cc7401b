"""DC203: deploys untested."""

from __future__ import annotations

import re
from collections.abc import Mapping as Names
from collections.abc import Sequence

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.languages.yaml.nodes import Mapping, Scalar
from wardround.rules.maturity import Maturity
from wardround_docker_ci.analysis import deployments
from wardround_docker_ci.check import GITLAB, WORKFLOW, CiCheck
from wardround_docker_ci.libraries.commands import is_lint, is_test
from wardround_docker_ci.models import github_workflow, gitlab

_NOT_LIVE = LazyPattern(
    r"review|preview|stag(?:e|ing)|feature|sandbox|storybook|rollback|cleanup|snapshot|\$CI_(?:COMMIT|MERGE)"
    r"|(?:^|[-_/:\s])(?:dev|develop|qa|test|uat|pr|canary|nightly|docs?|pages|stop|dry[-_]?run|plan)(?:$|[-_/:\s])",
    re.IGNORECASE,
)


class DeploysUntested(CiCheck):
    """A deployment job does not wait for the tests of the same pipeline.

    Jobs without `needs` between them run in parallel, and in GitLab `needs` also bypasses the order of the
    stages: a change that fails its tests is deployed before they finish. Add the test job to `needs`.
    """

    ID = "DC203"
    NAME = "deploys-untested"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "deploys-untested"
    KINDS = GITLAB | WORKFLOW
    CASE_PATH = ".github/workflows/a.yml"
    VALID = [
        code(
            """
            stages: [build, test, deploy]
            b:
              stage: build
              script: make
            t:
              stage: test
              script: make test
            deploy:
              stage: deploy
              needs: [b, t]
              script: ./deploy.sh
            """,
            path=".gitlab-ci.yml",
        ),
        code(
            """
            t:
              stage: test
              script: make test
            deploy:
              stage: deploy
              script: ./deploy.sh
            """,
            path=".gitlab-ci.yml",
        ),
    ]
    INVALID = [
        code(
            """
            t:
              stage: test
              script: pytest
            live:
              stage: deploy
              environment: {name: production}
              «needs»: []
              script: helm upgrade web ./chart
            """,
            path=".gitlab-ci.yml",
        ),
        code("""
            on: push
            jobs:
              t:
                steps: [{run: make test}]
              «publish»:
                steps: [{run: npm publish}]
        """),
    ]

    def run(self) -> None:
        if self.file.kind in WORKFLOW:
            self._workflow(self.file.workflow.jobs)
        elif self.file.root.get("include") is None:
            self._gitlab([job for job in self.file.gitlab_jobs if job.key is not None and job.name[0] != "."])

    def _workflow(self, jobs: Sequence[github_workflow.WorkflowJob]) -> None:
        tested = self._tested()
        testing = [job for job in jobs if any(id(step) in tested for step in job.steps)]
        tests = {job.name for job in testing if job.condition is None}
        needs = {job.name: _needed(job.node) for job in jobs}
        for job in jobs:
            goes_live = deployments.of_workflow(job) or deployments.publishes(job)
            if goes_live and job not in testing:
                place = job.node.text("environment") + job.node.text("environment", "name")
                self._check(job.name, job.key, job.node, tests, needs, f"{job.name} {place}")

    def _gitlab(self, jobs: Sequence[gitlab.GitlabJob]) -> None:
        tested = self._tested()
        tests = {
            job.name
            for job in jobs
            if id(job) in tested
            and job.node.text("allow_failure") != "true"
            and job.node.text("when") != "manual"
        }
        needs = {job.name: _needed(job.node) for job in jobs}
        for job in jobs:
            if deployments.of_gitlab(job) and id(job) not in tested and job.node.get("needs") is not None:
                place = job.node.text("environment") + job.node.text("environment", "name")
                name = f"{job.name} {job.node.text('stage')} {place}"
                self._check(job.name, job.key, job.node, tests, needs, name)

    def _tested(self) -> set[int]:
        """Return the ids of the owners of scripts that run tests."""
        return {
            id(one.owner)
            for one in self.file.scripts
            if any(is_test(command) and not is_lint(command) for command in one.commands)
        }

    def _check(
        self,
        name: str,
        key: Scalar | None,
        node: Mapping,
        tests: set[str],
        needs: Names[str, set[str]],
        label: str,
    ) -> None:
        place = node.key("needs") or key
        waits_for = _all_needed(name, needs)
        knows_all = waits_for <= set(needs)
        if (
            place is not None
            and tests
            and knows_all
            and not tests & waits_for
            and not _NOT_LIVE.search(label)
        ):
            one = min(tests)
            self.report_at(
                place.start, place.end, f'"{name}" does not wait for the tests in "{one}"; add it to needs'
            )


def _needed(node: Mapping) -> set[str]:
    named = [one.scalar("job") if isinstance(one, Mapping) else one for one in node.listed("needs")]
    return {one.value for one in named if isinstance(one, Scalar)}


def _all_needed(name: str, needs: Names[str, set[str]]) -> set[str]:
    """Return the jobs that finish before a job begins."""
    found: set[str] = set()
    pending = [*needs[name]]
    while pending:
        one = pending.pop()
        if one not in found:
            found.add(one)
            pending += needs.get(one, ())
    return found
