"""Blind judgements of people: two selected patches of one instance, and the choice between them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations
from typing import Literal

import msgspec

from wardround.authoring.stages import Patch
from wardround.storage.digest import sha256
from wardround_lab.experiments.lab_inputs import DIFF, TASK, now
from wardround_lab.experiments.recorded_sequence import SELECTED, RecordedSequence
from wardround_lab.experiments.storage.model import Entry, EntryKind, Run, SequenceHeader, SequenceQuery
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage

Choice = Literal["first", "second", "equal"]
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
    """

    preferred: str
    other: str
    is_equal: bool


def diff_digest(diff: str) -> str:
    """Return the digest by which judgements name a patch."""
    return sha256(diff.encode("utf-8", "surrogateescape")).hexdigest()


class Judging:
    """The judgements of one person on the patches of a run."""

    def __init__(self, storage: SequenceStorage, run: Run, judge: str) -> None:
        self._storage = storage
        self._run = run
        self._judge = judge

    def open_pairs(self) -> Iterator[PatchPair]:
        """Yield the pairs that the person has not judged yet."""
        for instance in self._run.instances:
            patches, task, repository = self._patches(instance)
            known = {frozenset((found.preferred, found.other)) for found in self._judgements(instance)}
            for diffs in combinations(patches, 2):
                if frozenset(map(diff_digest, diffs)) not in known:
                    first, second = self._in_random_order(instance, diffs)
                    yield PatchPair(instance, repository, task, first, second)

    def record(self, pair: PatchPair, choice: Choice) -> None:
        """Store the choice of a pair."""
        first, second = diff_digest(pair.first), diff_digest(pair.second)
        preferred, other = (second, first) if choice == "second" else (first, second)
        sequence = RecordedSequence.open(self._storage, self._header(pair.instance, pair.repository))
        sequence.record_judgement(self._judge, Judgement(preferred, other, choice == "equal"))

    def _header(self, instance: str, repository: str) -> SequenceHeader:
        return SequenceHeader(
            run=self._run.id,
            experiment=self._run.experiment,
            configuration={JUDGE: self._judge},
            instance=instance,
            repository=repository,
            created=now(),
        )

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


def _text(entry: Entry) -> str:
    is_task = entry.kind is EntryKind.MESSAGE and entry.name == TASK
    return msgspec.json.decode(bytes(entry.content), type=str) if is_task else ""


def _selected_diffs(entry: Entry) -> Iterator[str]:
    if entry.kind is EntryKind.PATCH and entry.name == SELECTED:
        diff = msgspec.json.decode(bytes(entry.content), type=Patch).metadata.get(DIFF)
        if diff:
            yield str(diff)
