"""Two patches of one task, judged without their origin, and the origin after the choice."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from wardround_lab.experiments.experiment_run import find_run
from wardround_lab.experiments.judging import (
    Choice,
    Judging,
    PatchPair,
    diff_digest,
    require_judge,
)
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage


class OpenPair(msgspec.Struct, frozen=True):
    """A pair to judge.

    Attributes:
        position: that of its instance in the run, from 0.
        instances: the number of instances of the run.
    """

    run: str
    judge: str
    pair: PatchPair
    position: int
    instances: int

    @property
    def id(self) -> str:
        """The digests of both patches."""
        return f"{diff_digest(self.pair.first)} {diff_digest(self.pair.second)}"


class Revelation(msgspec.Struct, frozen=True):
    """The configurations of a judged pair.

    Attributes:
        first, second: names of the configurations that selected the patch.
    """

    first: tuple[str, ...]
    second: tuple[str, ...]


def next_pair(
    storage: SequenceStorage, run: str, judge: str, start: int = 0, skipped: Collection[str] = ()
) -> OpenPair | None:
    """Return the next pair that a person has not judged; None if there is no more.

    Args:
        start: the position of the first instance that is read.
        skipped: ids of pairs that are left out.

    Raises:
        UsageError: the run does not exist, or the person has no name.
    """
    require_judge(judge)
    found = find_run(storage, run)
    positions = {instance: position for position, instance in enumerate(found.instances)}
    for pair in Judging(storage, found, judge).open_pairs(start):
        opened = OpenPair(run, judge, pair, positions[pair.instance], len(found.instances))
        if opened.id not in skipped:
            return opened
    return None


def judge_pair(storage: SequenceStorage, opened: OpenPair, choice: Choice) -> Revelation:
    """Store a choice unless the pair is judged already, and reveal the configurations."""
    judging = Judging(storage, find_run(storage, opened.run), opened.judge)
    if not judging.is_judged(opened.pair):
        judging.record(opened.pair, choice)
    first, second = judging.origins(opened.pair)
    return Revelation(tuple(dict.fromkeys(first)), tuple(dict.fromkeys(second)))
