"""Blind judgements: pairs of selected patches, each shown once to a person."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from wardround.authoring.stages import Message, Patch, PatchedFile
from wardround.errors import UsageError
from wardround_lab.experiments.judging import Judging, require_judge
from wardround_lab.experiments.lab_inputs import DIFF, TASK
from wardround_lab.experiments.recorded_sequence import RecordedSequence
from wardround_lab.experiments.storage.model import Run, SequenceHeader, SequenceQuery
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage
from wardround_lab.experiments.storage.sql import open_sql_storage

CREATED = "2026-01-02T03:04:05Z"
RUN = Run(
    id="vote-1", experiment="vote", created=CREATED, version="0", instances=tuple(f"i{n}" for n in range(12)),
    instances_digest="",
)  # fmt: skip


def select(storage: SequenceStorage, instance: str, by: str, diff: str) -> None:
    """Store a sequence with a selected patch."""
    header = SequenceHeader(
        run=RUN.id, experiment="vote", configuration={"by": by}, instance=instance, repository="acme/shop",
        created=CREATED,
    )  # fmt: skip
    sequence = RecordedSequence.open(storage, header)
    sequence.record_messages([Message(TASK, f"the task {instance}")])
    sequence.record_selected(Patch((PatchedFile("a.py", diff),), by, metadata={DIFF: diff}))
    sequence.end("completed")


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[SequenceStorage]:
    with closing(open_sql_storage(tmp_path / "lab.sqlite")) as opened:
        opened.begin_run(RUN)
        yield opened


def test_different_patches_are_shown_without_their_origin_and_once_to_each_person(
    storage: SequenceStorage,
) -> None:
    select(storage, "i0", "vote", "+one")
    select(storage, "i0", "score", "+two")
    ada, bob = Judging(storage, RUN, "ada"), Judging(storage, RUN, "bob")

    (pair,) = ada.open_pairs()
    assert pair.task == "the task i0"
    assert {pair.first, pair.second} == {"+one", "+two"}
    ada.record(pair, "second")

    assert list(ada.open_pairs()) == []
    assert len(list(bob.open_pairs())) == 1


def test_equal_patches_are_no_pair(storage: SequenceStorage) -> None:
    select(storage, "i0", "vote", "+one")
    select(storage, "i0", "score", "+one")

    assert list(Judging(storage, RUN, "ada").open_pairs()) == []


def test_the_order_of_a_pair_tells_nothing_about_its_configuration(storage: SequenceStorage) -> None:
    for instance in RUN.instances:
        select(storage, instance, "vote", f"+vote {instance}")
        select(storage, instance, "score", f"+score {instance}")

    first = [pair.first.split()[0] for pair in Judging(storage, RUN, "ada").open_pairs()]

    assert {"+vote", "+score"} == set(first)
    assert first == [pair.first.split()[0] for pair in Judging(storage, RUN, "ada").open_pairs()]


def test_a_judgement_is_no_result_of_the_run(storage: SequenceStorage) -> None:
    select(storage, "i0", "vote", "+one")
    select(storage, "i0", "score", "+two")
    judging = Judging(storage, RUN, "ada")
    judging.record(next(judging.open_pairs()), "equal")

    complete = list(storage.find(SequenceQuery(run=RUN.id, is_complete=True)))
    assert {str(summary.header.configuration["by"]) for summary in complete} == {"vote", "score"}
    assert len(list(storage.find(SequenceQuery(configuration={"judge": "ada"}, is_complete=False)))) == 1


def test_a_pair_of_which_neither_is_acceptable_is_judged_and_reveals_its_configurations(
    storage: SequenceStorage,
) -> None:
    for by, diff in {"vote": "+one", "score": "+two", "first": "+two"}.items():
        select(storage, "i0", by, diff)
    judging = Judging(storage, RUN, "ada")
    pair = next(judging.open_pairs())
    assert not judging.is_judged(pair)
    judging.record(pair, "neither")

    assert judging.is_judged(pair)
    names = dict(zip((pair.first, pair.second), judging.origins(pair), strict=True))
    assert {diff: sorted(found) for diff, found in names.items()} == {
        "+one": ["by vote"],
        "+two": ["by first", "by score"],
    }
    (judged,) = storage.find(SequenceQuery(configuration={"judge": "ada"}))
    (entry,) = storage.entries(judged.header.id)
    assert (b'"is_equal":true' in bytes(entry.content), b'"is_neither":true' in bytes(entry.content)) == (
        True,
        True,
    )


def test_pairs_can_be_read_from_a_later_instance_on(storage: SequenceStorage) -> None:
    for instance in RUN.instances[:3]:
        select(storage, instance, "vote", "+one")
        select(storage, instance, "score", "+two")

    assert [pair.instance for pair in Judging(storage, RUN, "ada").open_pairs(2)] == ["i2"]
    assert len(list(Judging(storage, RUN, "ada").open_pairs())) == 3


@pytest.mark.parametrize("name", ["", "  ", "a\x1b[1m"])
def test_a_judge_needs_a_name_of_printable_characters(name: str) -> None:
    with pytest.raises(UsageError, match="the judge needs a name of printable characters"):
        require_judge(name)
