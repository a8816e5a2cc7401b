"""The review in the CI systems that a repository uses."""

from __future__ import annotations

from collections.abc import Iterator

from wardround.setup_plan.gitlab_pipeline import GITLAB, gitlab_step
from wardround.setup_plan.model import Advice, FileChange, Present, Step
from wardround.setup_plan.surroundings import Surroundings
from wardround.setup_plan.wardround_source import NO_SOURCE, WardroundSource

WORKFLOW = ".github/workflows/wardround.yml"
_WORKFLOWS = ".github/workflows/"
_JENKINSFILE = "Jenkinsfile"
_PAGE = "docs/ci.md"
_CHECKOUT = "actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2"
_WORKFLOW_TEMPLATE = """\
name: wardround
on:
  pull_request:
  merge_group:
permissions:
  contents: read
concurrency:
  group: wardround-${{{{ github.ref }}}}
  cancel-in-progress: true
jobs:
  review:
    runs-on: ubuntu-24.04
    timeout-minutes: 15
    steps:
      - uses: {checkout}
        with:
          fetch-depth: 0
          persist-credentials: false
      - uses: {name}@{revision}{comment}
"""


def pipeline_steps(surroundings: Surroundings, source: WardroundSource) -> Iterator[Step]:
    """Yield a step for each CI system that the files or the remote of the repository show."""
    if surroundings.first_of(_WORKFLOWS) or surroundings.host == "github.com":
        yield _github_step(surroundings, source)
    if surroundings.first_of(GITLAB) or "gitlab" in surroundings.host:
        yield gitlab_step(surroundings, source)
    if surroundings.first_of(_JENKINSFILE):
        yield _jenkins_step(surroundings)


def _github_step(surroundings: Surroundings, source: WardroundSource) -> Step:
    for path, text in surroundings.texts(_WORKFLOWS, (".yml", ".yaml")).items():
        if "/wardround" in text or "wardround ci" in text or path == WORKFLOW:
            return Present(path, "the review")
    if surroundings.first_of(WORKFLOW) or surroundings.has_link(WORKFLOW):
        return Advice(WORKFLOW, f"it exists or is behind a link; add the review by hand as {_PAGE} shows")
    if not source.address:
        return Advice(WORKFLOW, NO_SOURCE)
    if not source.github_name:
        return Advice(
            WORKFLOW,
            f"the Action needs wardround on GitHub; name it with --source, or install it as {_PAGE} shows",
        )
    text = _WORKFLOW_TEMPLATE.format(
        checkout=_CHECKOUT, name=source.github_name, revision=source.revision, comment=source.comment
    )
    return FileChange(WORKFLOW, None, text.encode())


def _jenkins_step(surroundings: Surroundings) -> Step:
    if b"wardround" in (surroundings.content(_JENKINSFILE) or b""):
        return Present(_JENKINSFILE, "the review")
    return Advice(_JENKINSFILE, f"a script is not changed; add a stage by hand as {_PAGE} of wardround shows")
