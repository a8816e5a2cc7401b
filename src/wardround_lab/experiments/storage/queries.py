"""The SQL of the storage: standard, with ``:named`` parameters, for all databases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wardround_lab.experiments.storage.comparable import comparable_values
from wardround_lab.experiments.storage.model import RewardCondition, SequenceQuery

ADD_RUN = "INSERT INTO lab_runs (id, created, run) VALUES (:id, :created, :run)"
RUN = "SELECT run FROM lab_runs WHERE id = :id"
RUNS = "SELECT run FROM lab_runs ORDER BY created DESC, id"
ADD_SEQUENCE = """
INSERT INTO lab_sequences (id, run, experiment, instance, repository, created, header)
VALUES (:id, :run, :experiment, :instance, :repository, :created, :header)
"""
ADD_CONFIGURATION = """
INSERT INTO lab_configurations (sequence, name, value) VALUES (:sequence, :name, :value)
"""
LENGTH = """
SELECT (SELECT coalesce(max(position) + 1, 0) FROM lab_entries WHERE sequence = :sequence),
    (SELECT outcome FROM lab_outcomes WHERE sequence = :sequence)
FROM lab_sequences WHERE id = :sequence
"""
ADD_CONTENT = """
INSERT INTO lab_contents (digest, content) VALUES (:digest, :content) ON CONFLICT (digest) DO NOTHING
"""
ADD_ENTRY = """
INSERT INTO lab_entries (sequence, position, kind, name, request, digest)
VALUES (:sequence, :position, :kind, :name, :key, :digest)
"""
ADD_REWARD = """
INSERT INTO lab_rewards (sequence, name, position, value) VALUES (:sequence, :name, :position, :value)
"""
ADD_OUTCOME = "INSERT INTO lab_outcomes (sequence, outcome) VALUES (:sequence, :outcome)"
ENTRIES = """
SELECT kind, name, content, request FROM lab_entries JOIN lab_contents USING (digest)
WHERE sequence = :sequence ORDER BY position
"""
_SUMMARIES = """
SELECT created, id, header, outcome, (SELECT count(*) FROM lab_entries WHERE sequence = id)
FROM lab_sequences LEFT JOIN lab_outcomes ON sequence = id
WHERE {conditions} ORDER BY created, id LIMIT :limit
"""
_REWARDS = """
SELECT sequence, name, value FROM lab_rewards WHERE sequence IN ({ids}) ORDER BY sequence, name, position
"""
_CONFIGURED = """
EXISTS (
    SELECT 1 FROM lab_configurations AS configured
    WHERE configured.sequence = id AND name = :name{number} AND value = :value{number}
)
"""
_REWARDED = """
EXISTS (
    SELECT 1 FROM lab_rewards AS reward
    WHERE reward.sequence = id AND name = :reward{number} {least} {most} AND position = (
        SELECT max(position) FROM lab_rewards AS latest
        WHERE latest.sequence = reward.sequence AND latest.name = reward.name
    )
)
"""
_EQUAL = ("run", "experiment", "instance", "repository")
_AFTER = "(created, id) > (:last_created, :last_id)"

Conditions = dict[str, dict[str, Any]]
"""SQL of each condition -> its parameters."""


def rewards(sequences: Iterable[str]) -> tuple[str, dict[str, str]]:
    """Return the query for all rewards of some sequences, and its parameters."""
    parameters = {f"id{number}": sequence for number, sequence in enumerate(sequences)}
    names = ", ".join(f":{name}" for name in parameters)
    return _REWARDS.format(ids=names), parameters


def summaries(
    query: SequenceQuery, after: tuple[str, str] | None, limit: int
) -> tuple[str, Mapping[str, Any]]:
    """Return the query for a page of sequences, and its parameters.

    Args:
        after: time and id of the last sequence of the page before.
    """
    conditions = dict(_conditions(query))
    if after is not None:
        conditions[_AFTER] = {"last_created": after[0], "last_id": after[1]}
    parameters: dict[str, Any] = {"limit": limit}
    for values in conditions.values():
        parameters |= values
    return _SUMMARIES.format(conditions=" AND ".join(conditions) or "1 = 1"), parameters


def _conditions(query: SequenceQuery) -> Iterator[tuple[str, dict[str, Any]]]:
    for name in _EQUAL:
        if value := getattr(query, name):
            yield f"{name} = :{name}", {name: value}
    if query.since is not None:
        yield "created >= :since", {"since": query.since}
    if query.until is not None:
        yield "created < :until", {"until": query.until}
    if query.is_complete is not None:
        yield f"outcome IS {'NOT ' * query.is_complete}NULL", {}
    for number, (name, value) in enumerate(comparable_values(query.configuration).items()):
        yield _CONFIGURED.format(number=number), {f"name{number}": name, f"value{number}": value}
    for number, condition in enumerate(query.rewards):
        yield _reward_condition(number, condition), _reward_parameters(number, condition)


def _reward_condition(number: int, condition: RewardCondition) -> str:
    """Return the condition that the last value of a reward is within its bounds."""
    least = f"AND value >= :least{number}" if condition.least is not None else ""
    most = f"AND value <= :most{number}" if condition.most is not None else ""
    return _REWARDED.format(number=number, least=least, most=most)


def _reward_parameters(number: int, condition: RewardCondition) -> dict[str, Any]:
    bounds = {f"least{number}": condition.least, f"most{number}": condition.most}
    given = {name: float(bound) for name, bound in bounds.items() if bound is not None}
    return {f"reward{number}": condition.name, **given}
