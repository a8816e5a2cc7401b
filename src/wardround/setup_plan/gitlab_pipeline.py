"""The review in the pipeline of GitLab: ``.ci/gitlab.yml`` of wardround as an include, or its job."""

from __future__ import annotations

from typing import Any

from wardround.setup_plan.model import Advice, FileChange, Present, Step
from wardround.setup_plan.surroundings import Surroundings
from wardround.setup_plan.wardround_source import NO_SOURCE, WardroundSource
from wardround.setup_plan.yaml_text import NotUnderstood, YamlText

GITLAB = ".gitlab-ci.yml"
_PAGE = "docs/ci.md"
_INCLUDE = """\
- project: {project}
  ref: {revision}{comment}
  file: .ci/gitlab.yml
  inputs:
    project: {project}
    commit: {revision}
"""
_JOB = """\
wardround:
{stage}  image: python:3.13
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  dependencies: []
  variables:
    GIT_DEPTH: "50"
    WARDROUND_COMMIT: {revision}{comment}
    WARDROUND_EXTRAS: all
    WARDROUND_RUN: ""
    WARDROUND_FAIL_LEVEL: ""
    WARDROUND_TICKET: ""
    WARDROUND_SIGN_WITH: ""
  before_script:
    - home=$(mktemp -d)
    - source=$home/source
    - git init -q "$source"
    - git -C "$source" fetch -q --depth=1 {address} "$WARDROUND_COMMIT"
    - git -C "$source" checkout -q --detach FETCH_HEAD
  script:
    - >-
      python3 -I "$source/.ci/install.py" --outside="$CI_PROJECT_DIR"
      --extras="$WARDROUND_EXTRAS" "$home/venv"
    - >-
      "$home/venv/bin/python" -I -m wardround ci --provider=gitlab --repo="$CI_PROJECT_DIR"
      --reports-dir="$CI_PROJECT_DIR/wardround-reports" --report=gitlab
      --run="$WARDROUND_RUN" --fail-level="$WARDROUND_FAIL_LEVEL" --ticket="$WARDROUND_TICKET"
      --sign-with="$WARDROUND_SIGN_WITH"
  artifacts:
    when: always
    paths: [wardround-reports]
    reports:
      codequality: wardround-reports/gitlab.json
      junit: wardround-reports/planes.xml
"""


def gitlab_step(surroundings: Surroundings, source: WardroundSource) -> Step:
    """Return the addition to the pipeline, or the reason why there is none."""
    before = surroundings.content(GITLAB)
    if before is None and surroundings.first_of(GITLAB):
        return Advice(GITLAB, f"it is a link, or cannot be read; add the job by hand as {_PAGE} shows")
    if b"wardround" in (before or b""):
        return Present(GITLAB, "the review")
    return _change(before, surroundings, source) if source.host else Advice(GITLAB, NO_SOURCE)


def _change(before: bytes | None, surroundings: Surroundings, source: WardroundSource) -> Step:
    try:
        return FileChange(GITLAB, before, _with_review(YamlText(before or b""), surroundings, source))
    except NotUnderstood as cause:
        return Advice(GITLAB, f"{cause}; add the job by hand as {_PAGE} shows")


def _with_review(text: YamlText, surroundings: Surroundings, source: WardroundSource) -> bytes:
    is_same_server = source.host == surroundings.host and not source.github_name
    return _with_include(text, source) if is_same_server else _with_job(text, source)


def _with_include(text: YamlText, source: WardroundSource) -> bytes:
    """Return the file with an include, whose job reads wardround with the token of the job.

    Raises:
        NotUnderstood: none can be added to it.
    """
    entry = _INCLUDE.format(project=source.project, revision=source.revision, comment=source.comment)
    stage = _stage(text.value)
    lines = [*entry.splitlines(), *([f"    stage: {stage}"] if stage else [])]
    value = YamlText("\n".join(["include:", *lines]).encode()).value["include"]
    if "include" in text.value:
        return text.with_item(["include"], lines, lambda existing: existing["include"].extend(value))
    padded = ["include:", *(f"  {line}" for line in lines)]
    return text.with_key(padded, lambda existing: existing.update(include=value))


def _with_job(text: YamlText, source: WardroundSource) -> bytes:
    """Return the file with the job at its end.

    Raises:
        NotUnderstood: no job can be added to it.
    """
    stage = _stage(text.value)
    job = _JOB.format(
        stage=f"  stage: {stage}\n" if stage else "",
        revision=source.revision, comment=source.comment, address=source.address,
    )  # fmt: skip
    value = YamlText(job.encode()).value["wardround"]
    return text.with_key(job.splitlines(), lambda existing: existing.update(wardround=value))


def _stage(pipeline: dict[str, Any]) -> str:
    """Return the first stage if the pipeline lacks ``test``, that of jobs without one; otherwise nothing.

    Raises:
        NotUnderstood: its stages are not known.
    """
    stages = pipeline.get("stages")
    if stages is None or "test" in stages:
        return ""
    if not isinstance(stages, list) or not stages or not isinstance(stages[0], str):
        raise NotUnderstood("its stages are not a list of names")
    return stages[0]
