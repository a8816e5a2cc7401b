"""Pipelines of GitLab.

The pipeline of a merged result or of a merge train checks out a merge commit, and
``CI_MERGE_REQUEST_TARGET_BRANCH_SHA`` names the commit that the change was merged with there. A pipeline in a
fork has the fork as its ``origin``, whose branches are not those that the change is merged into.

Source: GitLab, "Predefined CI/CD variables reference".
"""

from __future__ import annotations

from collections.abc import Mapping

from wardround.change.revisions import object_id
from wardround.delivery.ci_event import CiEvent, Provider
from wardround.records.record import RecordedOrigin

_REQUEST = "CI_MERGE_REQUEST_"
_EXTERNAL = "CI_EXTERNAL_PULL_REQUEST_"
"""The change request is on another code host, whose repository GitLab mirrors."""


def gitlab_event(environ: Mapping[str, str]) -> CiEvent:
    """Return the event of a pipeline."""
    if environ.get(f"{_REQUEST}IID"):
        return _merge_request(environ)
    if environ.get(f"{_EXTERNAL}IID"):
        return _external_pull_request(environ)
    return _branch_or_tag(environ)


def gitlab_origin(environ: Mapping[str, str]) -> RecordedOrigin:
    """Return the pipeline, in the project of the merge request if there is one.

    A configuration outside of the project is named as ``FILE@PROJECT`` or by its address; GitLab names no
    commit of it.
    """
    path, project = environ.get("CI_CONFIG_PATH", ""), environ.get("CI_PROJECT_PATH", "")
    is_local = bool(path and project) and "@" not in path and "://" not in path
    return RecordedOrigin(
        repository=environ.get(f"{_REQUEST}PROJECT_URL") or environ.get("CI_PROJECT_URL", ""),
        workflow_run=environ.get("CI_PIPELINE_URL", ""),
        actor=environ.get("GITLAB_USER_LOGIN", ""),
        workflow=f"{project}/{path}@{environ.get('CI_COMMIT_REF_NAME', '')}" if is_local else path,
        workflow_commit=environ.get("CI_COMMIT_SHA", "") if is_local else "",
    )


def _merge_request(environ: Mapping[str, str]) -> CiEvent:
    base = object_id(environ.get(f"{_REQUEST}DIFF_BASE_SHA"))
    merged_with = object_id(environ.get(f"{_REQUEST}TARGET_BRANCH_SHA"))
    return CiEvent(
        Provider.GITLAB,
        "merge request",
        head=object_id(environ.get("CI_COMMIT_SHA")),
        target=environ.get(f"{_REQUEST}TARGET_BRANCH_NAME") or None,
        base=base,
        exact_base=base if _is_in_fork(environ) else merged_with,
        branch=environ.get(f"{_REQUEST}SOURCE_BRANCH_NAME", ""),
        title=environ.get(f"{_REQUEST}TITLE", ""),
        body=environ.get(f"{_REQUEST}DESCRIPTION", ""),
        change_request=environ[f"{_REQUEST}IID"],
    )


def _is_in_fork(environ: Mapping[str, str]) -> bool:
    project = environ.get("CI_PROJECT_PATH", "")
    return environ.get(f"{_REQUEST}PROJECT_PATH", project) != project


def _external_pull_request(environ: Mapping[str, str]) -> CiEvent:
    return CiEvent(
        Provider.GITLAB,
        "external pull request",
        head=object_id(environ.get("CI_COMMIT_SHA")),
        target=environ.get(f"{_EXTERNAL}TARGET_BRANCH_NAME") or None,
        base=object_id(environ.get(f"{_EXTERNAL}TARGET_BRANCH_SHA")),
        branch=environ.get(f"{_EXTERNAL}SOURCE_BRANCH_NAME", ""),
        change_request=environ[f"{_EXTERNAL}IID"],
    )


def _branch_or_tag(environ: Mapping[str, str]) -> CiEvent:
    branch, default = environ.get("CI_COMMIT_BRANCH", ""), environ.get("CI_DEFAULT_BRANCH", "")
    is_tag = bool(environ.get("CI_COMMIT_TAG"))
    return CiEvent(
        Provider.GITLAB,
        "tag" if is_tag else environ.get("CI_PIPELINE_SOURCE") or "push",
        head=object_id(environ.get("CI_COMMIT_SHA")),
        previous=None if is_tag else object_id(environ.get("CI_COMMIT_BEFORE_SHA")),
        default_branch=default if default and default != branch else None,
        has_parent_only=is_tag,
    )
