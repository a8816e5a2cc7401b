"""Builds of Jenkins.

Sources: Jenkins, the global variables of a multibranch Pipeline, and the variables of the git plugin.
"""

from __future__ import annotations

from collections.abc import Mapping

from wardround.change.revisions import object_id
from wardround.delivery.ci_event import CiEvent, Provider
from wardround.records.record import RecordedOrigin


def jenkins_event(environ: Mapping[str, str]) -> CiEvent:
    """Return the event of a build."""
    target, tag = environ.get("CHANGE_TARGET"), environ.get("TAG_NAME")
    if target:
        branch, title = environ.get("CHANGE_BRANCH", ""), environ.get("CHANGE_TITLE", "")
        return CiEvent(
            Provider.JENKINS,
            "change request",
            target=target,
            branch=branch,
            title=title,
            change_request=environ.get("CHANGE_ID", ""),
        )
    return CiEvent(
        Provider.JENKINS,
        "tag" if tag else "branch",
        previous=object_id(environ.get("GIT_PREVIOUS_SUCCESSFUL_COMMIT")),
        default_branch=None if environ.get("BRANCH_IS_PRIMARY") == "true" else "HEAD",
        may_be_default=not environ.get("BRANCH_NAME"),  # only a multibranch job names its branch
        has_parent_only=bool(tag),
    )


def jenkins_origin(environ: Mapping[str, str]) -> RecordedOrigin:
    """Return the build; its actor is the author of the change request, the only person Jenkins names."""
    return RecordedOrigin(
        repository=environ.get("GIT_URL", ""),
        workflow_run=environ.get("BUILD_URL", ""),
        actor=environ.get("CHANGE_AUTHOR", ""),
        workflow=environ.get("JOB_URL", ""),
    )
