"""Pairs of patches judged without their origin, stored as ``wardround lab judge`` stores them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from tests.lab.dashboard.stored_trials import add_trial, begin_run
from wardround.errors import UsageError
from wardround_lab.dashboard.views.blind_pairs import JudgingPlace, judge_pair, next_pair
from wardround_lab.experiments.judging import Judgement, Judging, diff_digest
from wardround_lab.experiments.storage.model import SequenceQuery
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage
from wardround_lab.experiments.storage.sql import open_sql_storage

BEGIN = JudgingPlace(run="stage-1", judge="ada")


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[SequenceStorage]:
    with closing(open_sql_storage(tmp_path / "lab.sqlite")) as opened:
        run = begin_run(opened, "stage-1", ["i0", "i1"])
        for instance in run.instances:
            add_trial(opened, run, instance, {"by": "words"}, 0.5, "+one")
            add_trial(opened, run, instance, {"by": "fusion"}, 0.5, "+two")
        yield opened


def test_a_choice_is_stored_once_and_reveals_the_configurations(storage: SequenceStorage) -> None:
    opened = next_pair(storage, BEGIN)
    assert opened is not None
    assert "words" not in opened.place.text + str(opened.pair)

    _, revealed = judge_pair(storage, opened.place, "second")

    names = {"+one": ("by words",), "+two": ("by fusion",)}
    assert (revealed.first, revealed.second) == (names[opened.pair.first], names[opened.pair.second])
    with pytest.raises(UsageError, match="this pair is judged already"):
        judge_pair(storage, opened.place, "first")
    (summary,) = storage.find(SequenceQuery(configuration={"judge": "ada"}))
    (entry,) = storage.entries(summary.header.id)
    preferred, other = map(diff_digest, (opened.pair.second, opened.pair.first))
    assert msgspec.json.decode(bytes(entry.content), type=Judgement) == Judgement(preferred, other, False)


def test_pairs_follow_one_another_until_all_are_judged_or_skipped(storage: SequenceStorage) -> None:
    first = next_pair(storage, BEGIN)
    assert first is not None
    place = JudgingPlace.parse(first.place.after_skip().text)
    second = next_pair(storage, place)
    assert second is not None
    assert (first.pair.instance, second.pair.instance, second.place.position) == ("i0", "i1", 1)
    judge_pair(storage, second.place, "neither")

    assert next_pair(storage, second.place) is None
    assert [pair.instance for pair in Judging(storage, storage.runs()[0], "ada").open_pairs()] == ["i0"]


@pytest.mark.parametrize("text", ["", "{", '{"run": 1}'])
def test_a_page_without_an_open_pair_names_what_to_press(text: str) -> None:
    with pytest.raises(UsageError, match="this page has no open pair; press Begin"):
        JudgingPlace.parse(text)


def test_a_judge_needs_a_name_and_a_run(storage: SequenceStorage) -> None:
    with pytest.raises(UsageError, match="the judge needs a name"):
        next_pair(storage, JudgingPlace(run="stage-1", judge=""))
    with pytest.raises(UsageError, match="run 'none' does not exist"):
        next_pair(storage, JudgingPlace(run="none", judge="ada"))
