"""The review in the CI systems that a repository uses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wardround.setup_plan.model import Advice, FileChange, Present, Step
from wardround.setup_plan.surroundings import Surroundings
from wardround.setup_plan.wardround_source import WardroundSource
from wardround.setup_plan.yaml_text import NotUnderstood, YamlText

WORKFLOW = ".github/workflows/wardround.yml"
_WORKFLOWS = ".github/workflows/"
GITLAB = ".gitlab-ci.yml"
_JENKINSFILE = "Jenkinsfile"
_PAGE = "docs/ci.md"
_CHECKOUT = "actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2"
_NO_SOURCE = "it is not known where wardround is; run wardround init --source ADDRESS of its repository"
_GITLAB_TEMPLATE = """\
wardround:
{stage}  image: python:3.13
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
  variables:
    GIT_DEPTH: "0"
    WARDROUND_REVISION: {revision}{comment}
  script:
    - git init --quiet "$HOME/source"
    - git -C "$HOME/source" fetch --quiet --depth 1 {address} "$WARDROUND_REVISION"
    - git -C "$HOME/source" checkout --quiet FETCH_HEAD
    - python3 -I "$HOME/source/.ci/install.py" --outside="$CI_PROJECT_DIR" --extras=all "$HOME/wardround"
    - git fetch --quiet origin "+refs/heads/$CI_MERGE_REQUEST_TARGET_BRANCH_NAME:refs/wardround/target"
    - >-
      "$HOME/wardround/bin/python" -I -m wardround review --profile ci --config-from base
      --base refs/wardround/target --head "$CI_COMMIT_SHA"
      --format text --format json=report.json --format gitlab=code-quality.json
  artifacts:
    when: always
    paths: [report.json]
    reports:
      codequality: code-quality.json
"""
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
        yield _gitlab_step(surroundings, source)
    if surroundings.first_of(_JENKINSFILE):
        yield _jenkins_step(surroundings)


def _github_step(surroundings: Surroundings, source: WardroundSource) -> Step:
    for path, text in surroundings.texts(_WORKFLOWS, (".yml", ".yaml")).items():
        if "/wardround" in text or "wardround ci" in text or path == WORKFLOW:
            return Present(path, "the review")
    if surroundings.first_of(WORKFLOW) or surroundings.has_link(WORKFLOW):
        return Advice(WORKFLOW, f"it exists or is behind a link; add the review by hand as {_PAGE} shows")
    if not source.address:
        return Advice(WORKFLOW, _NO_SOURCE)
    if not source.github_name:
        return Advice(
            WORKFLOW,
            f"the Action needs wardround on GitHub; name it with --source, or install it as {_PAGE} shows",
        )
    text = _WORKFLOW_TEMPLATE.format(
        checkout=_CHECKOUT, name=source.github_name, revision=source.revision, comment=source.comment
    )
    return FileChange(WORKFLOW, None, text.encode())


def _gitlab_step(surroundings: Surroundings, source: WardroundSource) -> Step:
    before = surroundings.content(GITLAB)
    if before is None and surroundings.first_of(GITLAB):
        return Advice(GITLAB, f"it is a link, or cannot be read; add the job by hand as {_PAGE} shows")
    if b"wardround" in (before or b""):
        return Present(GITLAB, "the review")
    if "://" not in source.address and "@" not in source.address:
        return Advice(GITLAB, _NO_SOURCE)
    try:
        return FileChange(GITLAB, before, _with_gitlab_job(before or b"", source))
    except NotUnderstood as cause:
        return Advice(GITLAB, f"{cause}; add the job by hand as {_PAGE} shows")


def _with_gitlab_job(before: bytes, source: WardroundSource) -> bytes:
    """Return the file with the job at its end.

    Raises:
        NotUnderstood: no job can be added to it.
    """
    text = YamlText(before)
    stage = _stage_line(text.value)
    job = _GITLAB_TEMPLATE.format(
        stage=stage, revision=source.revision, comment=source.comment, address=source.address
    )
    value = YamlText(job.encode()).value["wardround"]
    return text.with_key(job.splitlines(), lambda existing: existing.update(wardround=value))


def _stage_line(pipeline: dict[str, Any]) -> str:
    """Return the line of the stage, where the stages of the pipeline lack that of jobs without one."""
    stages = pipeline.get("stages")
    if stages is None or "test" in stages:
        return ""
    if not isinstance(stages, list) or not stages or not isinstance(stages[0], str):
        raise NotUnderstood("its stages are not a list of names")
    return f"  stage: {stages[0]}\n"


def _jenkins_step(surroundings: Surroundings) -> Step:
    if b"wardround" in (surroundings.content(_JENKINSFILE) or b""):
        return Present(_JENKINSFILE, "the review")
    return Advice(_JENKINSFILE, f"a script is not changed; add a stage by hand as {_PAGE} of wardround shows")
