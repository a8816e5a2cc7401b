"""Runs of Azure Pipelines, for repositories of Azure and of GitHub.

A pull request is built as the merge of both, ``refs/pull/N/merge``. Source: Microsoft, "Predefined
variables" of Azure Pipelines.
"""

from __future__ import annotations

from wardround.delivery.ci_event import Provider
from wardround.delivery.ci_systems.variables import VariableTable

AZURE = VariableTable(
    Provider.AZURE,
    head=("SYSTEM_PULLREQUEST_SOURCECOMMITID", "BUILD_SOURCEVERSION"),
    ref=("BUILD_SOURCEBRANCH",),
    target=("SYSTEM_PULLREQUEST_TARGETBRANCH",),
    branch=("SYSTEM_PULLREQUEST_SOURCEBRANCH",),
    change_request=("SYSTEM_PULLREQUEST_PULLREQUESTNUMBER", "SYSTEM_PULLREQUEST_PULLREQUESTID"),
    repository="${BUILD_REPOSITORY_URI}",
    run="${SYSTEM_COLLECTIONURI}${SYSTEM_TEAMPROJECT}/_build/results?buildId=${BUILD_BUILDID}",
    actor=("BUILD_REQUESTEDFOR",),
)
