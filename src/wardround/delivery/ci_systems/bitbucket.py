"""Runs of Bitbucket Pipelines.

A pull request may be built as the merge of both, and its destination is often named by a short id, which is
not used. Source: Atlassian, "Variables and secrets" of Bitbucket Pipelines.
"""

from __future__ import annotations

from wardround.delivery.ci_event import Provider
from wardround.delivery.ci_systems.variables import VariableTable

BITBUCKET = VariableTable(
    Provider.BITBUCKET,
    head=("BITBUCKET_COMMIT",),
    ref=("BITBUCKET_BRANCH",),
    tag=("BITBUCKET_TAG",),
    target=("BITBUCKET_PR_DESTINATION_BRANCH",),
    base=("BITBUCKET_PR_DESTINATION_COMMIT",),
    branch=("BITBUCKET_BRANCH",),
    change_request=("BITBUCKET_PR_ID",),
    repository="https://bitbucket.org/${BITBUCKET_REPO_FULL_NAME}",
    run="https://bitbucket.org/${BITBUCKET_REPO_FULL_NAME}/pipelines/results/${BITBUCKET_BUILD_NUMBER}",
    actor=("BITBUCKET_STEP_TRIGGERER_UUID",),
)
