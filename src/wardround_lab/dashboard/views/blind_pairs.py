"""Two patches of one task, judged without their origin, and the origin after the choice."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from wardround.errors import UsageError
from wardround.storage.digest import sha256
from wardround_lab.experiments.experiment_run import find_run
from wardround_lab.experiments.judging import Choice, Judging, PatchPair, require_judge
from wardround_lab.experiments.storage.model import Run
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage

_ID_LENGTH = 16


class JudgingPlace(msgspec.Struct, frozen=True, kw_only=True):
    """The place of a person in a run, stored in the page, without any configuration.

    Attributes:
        position: that of the instance in the run, from 0.
        pair: id of the pair on the page; empty if there is none.
        skipped: ids of pairs that were skipped; they are shown again after a new begin.
    """

    run: str
    judge: str
    position: int = 0
    pair: str = ""
    skipped: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> JudgingPlace:
        """Return the place that a page stored.

        Raises:
            UsageError: it is none.
        """
        try:
            return msgspec.json.decode(text, type=cls)
        except (msgspec.MsgspecError, UnicodeError) as cause:
            raise UsageError("this page has no open pair; press Begin") from cause

    @property
    def text(self) -> str:
        """The place as ``parse`` reads it."""
        return msgspec.json.encode(self).decode()

    def after_skip(self) -> JudgingPlace:
        """Return the place at which the pair on the page is left out."""
        return replace(self, skipped=(*self.skipped, self.pair))


class OpenPair(msgspec.Struct, frozen=True):
    """A pair on the page.

    Attributes:
        instances: the number of instances of the run.
    """

    place: JudgingPlace
    pair: PatchPair
    instances: int


class Revelation(msgspec.Struct, frozen=True):
    """The names of the configurations that selected the first and the second patch of a pair."""

    first: tuple[str, ...]
    second: tuple[str, ...]


def next_pair(storage: SequenceStorage, place: JudgingPlace) -> OpenPair | None:
    """Return the next pair that the person has neither judged nor skipped; None without one.

    Raises:
        UsageError: the run does not exist, or the person has no name.
    """
    require_judge(place.judge)
    run = find_run(storage, place.run)
    for pair in Judging(storage, run, place.judge).open_pairs(place.position):
        if _id(pair) not in place.skipped:
            return _open(run, place, pair)
    return None


def judge_pair(storage: SequenceStorage, place: JudgingPlace, choice: Choice) -> tuple[OpenPair, Revelation]:
    """Store a choice, and reveal the configurations.

    Raises:
        UsageError: the pair on the page is judged already, as in another window.
    """
    run = find_run(storage, place.run)
    judging = Judging(storage, run, place.judge)
    for pair in judging.open_pairs(place.position):
        if _id(pair) == place.pair:
            judging.record(pair, choice)
            first, second = judging.origins(pair)
            return _open(run, place, pair), Revelation(_different(first), _different(second))
    raise UsageError("this pair is judged already; press Begin for the next one")


def _open(run: Run, place: JudgingPlace, pair: PatchPair) -> OpenPair:
    at = replace(place, position=run.instances.index(pair.instance), pair=_id(pair))
    return OpenPair(at, pair, len(run.instances))


def _id(pair: PatchPair) -> str:
    content = msgspec.json.encode((pair.instance, pair.first, pair.second))
    return sha256(content).hexdigest()[:_ID_LENGTH]


def _different(names: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
