"""A run of any other CI system, whose job sets the variables; ``docs/ci.md`` describes them."""

from __future__ import annotations

from wardround.delivery.ci_event import Provider
from wardround.delivery.ci_systems.variables import VariableTable

GENERIC = VariableTable(
    Provider.GENERIC,
    head=("WARDROUND_HEAD",),
    ref=("WARDROUND_REF",),
    target=("WARDROUND_TARGET_BRANCH",),
    exact_base=("WARDROUND_BASE",),
    previous=("WARDROUND_PREVIOUS",),
    default_branch=("WARDROUND_DEFAULT_BRANCH",),
    branch=("WARDROUND_SOURCE_BRANCH",),
    title=("WARDROUND_TITLE",),
    body=("WARDROUND_DESCRIPTION",),
    change_request=("WARDROUND_CHANGE_REQUEST",),
    repository="${WARDROUND_REPOSITORY_URL}",
    run="${WARDROUND_RUN_URL}",
    actor=("WARDROUND_ACTOR",),
)
