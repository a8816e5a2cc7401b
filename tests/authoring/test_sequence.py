"""Sequences: recorded effects are not repeated, and a killed run loses at most the effect under way."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from wardround.authoring.instance import Instance
from wardround.authoring.sequence import Header, Sequence, SequenceEnded, SequenceStore, Settings
from wardround.authoring.steps.route import Route, StageNames
from wardround.errors import UsageError

HEADER = Header(
    Instance("0" * 40, "Add a limit"),
    Settings(),
    Route(StageNames("executed", "edits", "first"), "requested"),
    "1.0",
)


class Counter:
    """An effect that counts how often it ran."""

    def __init__(self) -> None:
        self.runs = 0

    async def __call__(self) -> int:
        self.runs += 1
        return self.runs


def result(sequence: Sequence, request: object, effect: Counter, step: str = "patch") -> int:
    return asyncio.run(sequence.run(step, request, int, effect))


def test_a_resumed_run_repeats_no_effect(tmp_path: Path) -> None:
    store, effect = SequenceStore(tmp_path), Counter()
    name, sequence = store.begin(HEADER)
    assert [result(sequence, "a", effect), result(sequence, "b", effect)] == [1, 2]
    again = store.resume(name)
    assert [result(again, "a", effect), result(again, "b", effect), result(again, "c", effect)] == [1, 2, 3]
    assert effect.runs == 3


def test_equal_requests_of_one_step_are_told_apart_by_their_order(tmp_path: Path) -> None:
    store, effect = SequenceStore(tmp_path), Counter()
    name, sequence = store.begin(HEADER)
    assert [result(sequence, "a", effect), result(sequence, "a", effect)] == [1, 2]
    again = store.replay(name)
    assert [result(again, "a", effect), result(again, "a", effect)] == [1, 2]


def test_a_replay_runs_nothing(tmp_path: Path) -> None:
    store, effect = SequenceStore(tmp_path), Counter()
    name, sequence = store.begin(HEADER)
    result(sequence, "a", effect)
    before = (tmp_path / f"{name}.jsonl").read_bytes()
    replayed = store.replay(name)
    assert result(replayed, "a", effect) == 1
    with pytest.raises(SequenceEnded, match="ends before step tests"):
        result(replayed, "b", effect, "tests")
    assert (effect.runs, (tmp_path / f"{name}.jsonl").read_bytes()) == (1, before)


@pytest.mark.parametrize("removed", [1, 5, 40])
def test_a_line_that_a_kill_cut_off_is_run_again(tmp_path: Path, removed: int) -> None:
    store, effect = SequenceStore(tmp_path), Counter()
    name, sequence = store.begin(HEADER)
    result(sequence, "a", effect)
    result(sequence, "b", effect)
    file = tmp_path / f"{name}.jsonl"
    file.write_bytes(file.read_bytes()[:-removed])
    again = store.resume(name)
    assert [result(again, "a", effect), result(again, "b", effect)] == [1, 3]
    complete = store.replay(name)
    assert [result(complete, "a", effect), result(complete, "b", effect)] == [1, 3]


def test_the_reason_of_an_early_end_is_replayed_and_forgotten_by_a_later_effect(tmp_path: Path) -> None:
    store, effect = SequenceStore(tmp_path), Counter()
    name, sequence = store.begin(HEADER)
    sequence.end("the endpoint does not answer")
    assert store.replay(name).ending == "the endpoint does not answer"
    result(store.resume(name), "a", effect)
    assert store.replay(name).ending == ""


def test_each_run_of_an_instance_has_a_sequence_of_its_own(tmp_path: Path) -> None:
    store = SequenceStore(tmp_path)
    names = [store.begin(HEADER)[0] for _ in range(3)]
    assert names == [f"{HEADER.instance.id}-{number}" for number in (1, 2, 3)]


@pytest.mark.parametrize("name", ["", "../a", "a/b", "missing"])
def test_an_id_that_names_no_sequence_is_rejected(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"check its id|not the id"):
        SequenceStore(tmp_path / "sequences").replay(name)


def test_an_edited_sequence_is_rejected(tmp_path: Path) -> None:
    store, effect = SequenceStore(tmp_path), Counter()
    name, sequence = store.begin(HEADER)
    result(sequence, "a", effect)
    result(sequence, "b", effect)
    file = tmp_path / f"{name}.jsonl"
    file.write_bytes(file.read_bytes().replace(b'"result":1', b'"result":7'))
    with pytest.raises(UsageError, match="damaged: line 3 does not continue the line before"):
        store.resume(name)


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"cannot be written: .*; make room or change its permissions"):
        SequenceStore(tmp_path / "file").begin(HEADER)
