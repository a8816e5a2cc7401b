"""The findings that a reader has to judge next."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

from wardround.rules.judgements import FindingKey, Judgement
from wardround_lab.evaluation.judging.hits import Hit

SECOND_READING_OF = 5
"""One finding of this number is read by a second reader too."""


def queue(
    drawn: Sequence[Hit],
    judgements: Iterable[Judgement],
    reader: str,
    every: int = SECOND_READING_OF,
    taken: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> list[Hit]:
    """Return the findings of a sample that a reader has to judge, in its order.

    Those are the unread ones, every fifth of those that one other reader has judged, and those about which
    two others disagree. They are not marked, since readers do not know the verdicts of others.

    Args:
        taken: id of a finding -> the readers who have it in a batch; they count as those who have judged it.
    """
    readings: dict[FindingKey, list[Judgement]] = defaultdict(list)
    for judgement in judgements:
        readings[judgement.key].append(judgement)
    return [hit for hit in drawn if _is_due(hit, readings[hit.key], taken.get(hit.id, ()), reader, every)]


def _is_due(hit: Hit, readings: Sequence[Judgement], taken: Collection[str], reader: str, every: int) -> bool:
    readers = {reading.reader for reading in readings}.union(taken)
    if reader in readers:
        return False
    if len(readers) < 2:
        return not readers or is_read_twice(hit, every)
    return len(readers) == len(readings) == 2 and readings[0].verdict != readings[1].verdict


def is_read_twice(hit: Hit, every: int = SECOND_READING_OF) -> bool:
    """Return True if a second reader judges a finding; it depends only on the identity of the finding."""
    return int(hit.id, 16) % every == 0
