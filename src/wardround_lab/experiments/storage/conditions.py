"""The conditions of a query, for storages whose database cannot check them."""

from __future__ import annotations

from wardround_lab.experiments.storage.comparable import comparable_value
from wardround_lab.experiments.storage.model import RewardCondition, SequenceQuery, SequenceSummary

EQUAL = ("run", "experiment", "instance", "repository")
"""The conditions that a value of the header is equal to."""


def is_selected(summary: SequenceSummary, query: SequenceQuery) -> bool:
    """Return True if a sequence meets all conditions, without the limit."""
    return (
        _has_values(summary, query)
        and _is_within_time(summary, query)
        and query.is_complete in (None, summary.outcome != "")
        and all(_has_reward(summary, condition) for condition in query.rewards)
    )


def _has_values(summary: SequenceSummary, query: SequenceQuery) -> bool:
    header = summary.header
    wanted = {name: getattr(query, name) for name in EQUAL if getattr(query, name)}
    return all(getattr(header, name) == value for name, value in wanted.items()) and all(
        name in header.configuration
        and comparable_value(header.configuration[name]) == comparable_value(value)
        for name, value in query.configuration.items()
    )


def _is_within_time(summary: SequenceSummary, query: SequenceQuery) -> bool:
    created = summary.header.created
    is_early = query.since is not None and created < query.since
    is_late = query.until is not None and created >= query.until
    return not is_early and not is_late


def _has_reward(summary: SequenceSummary, condition: RewardCondition) -> bool:
    value = summary.rewards.get(condition.name)
    if value is None:
        return False
    is_less = condition.least is not None and value < condition.least
    is_more = condition.most is not None and value > condition.most
    return not is_less and not is_more
