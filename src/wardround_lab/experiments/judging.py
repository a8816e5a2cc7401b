"""Blind judgements of people: two selected patches of one instance, and the choice between them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations
from typing import Literal

import msgspec

from wardround.authoring.stages import Patch
from wardround.errors import UsageError
from wardround.storage.digest import sha256
from wardround_lab.experiments.comparison.results import configuration_name
from wardround_lab.experiments.lab_inputs import DIFF, TASK, now
from wardround_lab.experiments.recorded_sequence import SELECTED, RecordedSequence
from wardround_lab.experiments.storage.model import Entry, EntryKind, Run, SequenceHeader, SequenceQuery
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage

Choice = Literal["first", "second", "equal", "neither"]
"""The better patch; ``equal`` patches are both acceptable, and of ``neither`` none is."""
JUDGE = "judge"
"""The name of the value that the configuration of a judge's sequences has."""


class PatchPair(msgspec.Struct, frozen=True):
    """Two different patches of an instance, in an order without a relation to their configurations.

    Attributes:
        task: the words of the instance.
        first, second: unified diffs.
    """

    instance: str
    repository: str
    task: str
    first: str
    second: str


class Judgement(msgspec.Struct, frozen=True):
    """A choice as it is stored.

    Attributes:
        preferred, other: digests of the diffs; of an equal pair in the order in which they were shown.
        is_equal: none of both is preferred.
        is_neither: none of both is acceptable, either.
    """

    preferred: str
    other: str
    is_equal: bool
    is_neither: bool = False


def require_judge(name: str) -> None:
    """Require that judgements can be stored under a name.

    Raises:
        UsageError: it is empty, or has characters that cannot be printed.
    """
    if not name.strip() or not name.isprintable():
        raise UsageError("the judge needs a name of printable characters; give one")


def diff_digest(diff: str) -> str:
    """Return the digest by which judgements name a patch."""
    return sha256(diff.encode("utf-8", "surrogateescape")).hexdigest()


class Judging:
    """The judgements of one person on the patches of a run."""

    def __init__(self, storage: SequenceStorage, run: Run, judge: str) -> None:
        self._storage = storage
        self._run = run
        self._judge = judge

    def open_pairs(self, start: int = 0) -> Iterator[PatchPair]:
        """Yield the pairs that the person has not judged yet.

        Args:
            start: the position of the first instance that is read.
        """
        for instance in self._run.instances[start:]:
            patches, task, repository = self._patches(instance)
            known = self._judged_pairs(instance)
            for diffs in combinations(patches, 2):
                if frozenset(map(diff_digest, diffs)) not in known:
                    first, second = self._in_random_order(instance, diffs)
                    yield PatchPair(instance, repository, task, first, second)

    def is_judged(self, pair: PatchPair) -> bool:
        """Return True if the person has judged a pair already."""
        return _digests(pair) in self._judged_pairs(pair.instance)

    def origins(self, pair: PatchPair) -> tuple[list[str], list[str]]:
        """Return the names of the configurations that selected the first and the second patch of a pair."""
        names: dict[str, list[str]] = {pair.first: [], pair.second: []}
        for summary in self._storage.find(SequenceQuery(run=self._run.id, instance=pair.instance)):
            for entry in self._storage.entries(summary.header.id):
                for diff in _selected_diffs(entry):
                    names.get(diff, []).append(configuration_name(summary.header.configuration))
        return names[pair.first], names[pair.second]

    def record(self, pair: PatchPair, choice: Choice) -> None:
        """Store the choice of a pair."""
        first, second = diff_digest(pair.first), diff_digest(pair.second)
        preferred, other = (second, first) if choice == "second" else (first, second)
        sequence = RecordedSequence.open(self._storage, self._header(pair.instance, pair.repository))
        judgement = Judgement(preferred, other, choice in ("equal", "neither"), choice == "neither")
        sequence.record_judgement(self._judge, judgement)

    def _header(self, instance: str, repository: str) -> SequenceHeader:
        return SequenceHeader(
            run=self._run.id,
            experiment=self._run.experiment,
            configuration={JUDGE: self._judge},
            instance=instance,
            repository=repository,
            created=now(),
        )

    def _judged_pairs(self, instance: str) -> set[frozenset[str]]:
        return {frozenset((found.preferred, found.other)) for found in self._judgements(instance)}

    def _judgements(self, instance: str) -> list[Judgement]:
        entries = self._storage.entries(self._header(instance, "").id)
        return [msgspec.json.decode(bytes(entry.content), type=Judgement) for entry in entries]

    def _patches(self, instance: str) -> tuple[list[str], str, str]:
        """Return the different diffs that the configurations selected, the task, and the repository."""
        diffs: dict[str, None] = {}
        task = repository = ""
        for summary in self._storage.find(SequenceQuery(run=self._run.id, instance=instance)):
            repository = summary.header.repository
            for entry in self._storage.entries(summary.header.id):
                task = _text(entry) or task
                diffs |= dict.fromkeys(_selected_diffs(entry))
        return list(diffs), task, repository

    def _in_random_order(self, instance: str, diffs: tuple[str, str]) -> tuple[str, str]:
        is_exchanged = random.Random(f"{self._judge}\0{instance}\0{diffs}").random() < 0.5  # noqa: S311
        return diffs[::-1] if is_exchanged else diffs


def _digests(pair: PatchPair) -> frozenset[str]:
    return frozenset((diff_digest(pair.first), diff_digest(pair.second)))


def _text(entry: Entry) -> str:
    is_task = entry.kind is EntryKind.MESSAGE and entry.name == TASK
    return msgspec.json.decode(bytes(entry.content), type=str) if is_task else ""


def _selected_diffs(entry: Entry) -> Iterator[str]:
    if entry.kind is EntryKind.PATCH and entry.name == SELECTED:
        diff = msgspec.json.decode(bytes(entry.content), type=Patch).metadata.get(DIFF)
        if diff:
            yield str(diff)
