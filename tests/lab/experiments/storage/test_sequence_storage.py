"""What every storage of sequences does: a file, a PostgreSQL server, and a document database."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import msgspec
import pytest

from tests.lab.experiments.storage.places import firestore, storage, storage_url
from tests.lab.experiments.storage.sample_sequences import (
    add,
    entry,
    found,
    header,
    message,
    outcome,
    reward,
    run,
)
from wardround.authoring.stages import Value
from wardround_lab.experiments.storage.conditions import is_selected
from wardround_lab.experiments.storage.model import Entry, EntryKind, RewardCondition, SequenceQuery
from wardround_lab.experiments.storage.opening import open_storage
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage, StorageError

__all__ = ["firestore", "storage", "storage_url"]  # fixtures


def test_entries_are_returned_as_they_were_appended_by_every_process(
    storage: SequenceStorage, storage_url: str
) -> None:
    entries = [
        message("solve \u6f22\u0000\u001b[31m it", "system"),
        entry(EntryKind.RESULT, "retrieve", {"b": 1, "a": [1.5, None, True]}, "key:1"),
        Entry(EntryKind.RESULT, "spaced", msgspec.Raw(b' {"a":\n 1} '), "key:2"),
        entry(EntryKind.PATCH, "edits", {"diff": "x" * 5000}),
    ]
    sequence = add(storage, header(), *entries[:2])
    storage.append(sequence, 2, entries[2:])
    storage.append(sequence, 4, [])
    with closing(open_storage(storage_url, {})) as other:
        assert other.entries(sequence) == entries
        assert [found.digest for found in other.entries(sequence)] == [item.digest for item in entries]
        other.append(sequence, 4, [message("more")])
    assert len(storage.entries(sequence)) == 5
    assert storage.entries("another") == []


def test_an_append_at_another_position_is_one_sentence_and_stores_nothing(
    storage: SequenceStorage, storage_url: str
) -> None:
    sequence = add(storage, header(), message("one"))
    with closing(open_storage(storage_url, {})) as other:
        other.append(sequence, 1, [message("two")])
    for position in (0, 1, 3):
        with pytest.raises(StorageError) as refused:
            storage.append(sequence, position, [message("three")])
        assert str(refused.value) == (
            f"sequence {sequence} has 2 entries, not {position}: another process appended to it; "
            "run it again, which continues it"
        )
    storage.append(sequence, 2, [message("three")])
    assert [bytes(item.content) for item in storage.entries(sequence)] == [b'"one"', b'"two"', b'"three"']


def test_an_append_to_no_sequence_is_one_sentence(storage: SequenceStorage) -> None:
    with pytest.raises(StorageError) as refused:
        storage.append("nowhere", 0, [message("one")])
    assert str(refused.value) == "there is no sequence nowhere; begin it before its entries"


def test_only_judgements_follow_an_outcome(storage: SequenceStorage) -> None:
    sequence = add(storage, header(), message("one"), outcome())
    with pytest.raises(StorageError, match="has an outcome already, so that no message can follow"):
        storage.append(sequence, 2, [message("two")])
    storage.append(sequence, 2, [entry(EntryKind.JUDGEMENT, "better", "a")])
    with pytest.raises(StorageError, match="has an outcome already"):
        storage.append(sequence, 3, [message("two")])
    assert len(storage.entries(sequence)) == 3


def test_contents_that_are_not_valid_are_one_sentence(storage: SequenceStorage) -> None:
    storage.begin(header())
    for kind, content, wanted in [
        (EntryKind.REWARD, b'"high"', "a number"),
        (EntryKind.REWARD, b"null", "a number"),
        (EntryKind.MESSAGE, b"{", "JSON"),
        (EntryKind.MESSAGE, b"", "JSON"),
        (EntryKind.MESSAGE, b'"\xff"', "JSON"),
    ]:
        with pytest.raises(StorageError) as refused:
            storage.append(header().id, 0, [message("one"), Entry(kind, "n", msgspec.Raw(content))])
        assert str(refused.value).startswith(
            f"sequence {header().id}: the content of {kind} 'n' is not valid ("
        )
        assert str(refused.value).endswith(f"; give {wanted}")
    assert storage.entries(header().id) == []


def test_runs_are_listed_with_the_newest_first(storage: SequenceStorage) -> None:
    runs = [run("b"), run("a"), run("c", created="2030-02-01T00:00:00Z")]
    for item in [*runs, runs[0]]:
        storage.begin_run(item)
    assert storage.runs() == [runs[2], runs[1], runs[0]]
    with pytest.raises(StorageError) as refused:
        storage.begin_run(run("b", version="2"))
    assert str(refused.value) == "another run has the id b already; give this one another id"


def test_an_id_may_have_any_characters(storage: SequenceStorage) -> None:
    names = ["..", "__a__", "a/b", "\u6f22 b"]
    for name in names:
        storage.begin_run(run(name))
        storage.begin_run(run(name))
    assert [item.id for item in storage.runs()] == names
    for name in ("a/b", "..", ""):
        assert storage.entries(name) == []
        with pytest.raises(StorageError, match="there is no sequence"):
            storage.append(name, 0, [message("one")])


def test_a_sequence_begins_once(storage: SequenceStorage) -> None:
    sequence = add(storage, header(), message("one"))
    storage.begin(header(created="2031-01-01T00:00:00Z"))
    (summary,) = storage.find(SequenceQuery())
    assert (summary.header, summary.entries, summary.outcome) == (header(), 1, "")
    assert len(storage.entries(sequence)) == 1


def test_a_summary_has_the_last_value_of_a_reward(storage: SequenceStorage) -> None:
    sequence = add(storage, header(), reward("recall", 0.25), reward("tokens", 4000))
    storage.append(sequence, 2, [reward("recall", 0.1), reward("recall", 1e-300), outcome("completed")])
    (summary,) = storage.find(SequenceQuery())
    assert summary.rewards == {"recall": 1e-300, "tokens": 4000.0}
    assert (summary.outcome, summary.entries) == ("completed", 5)
    assert found(storage, rewards=(RewardCondition("recall", least=0.1),)) == []
    assert found(storage, rewards=(RewardCondition("recall", most=0.1),)) == ["shop-1"]


def test_sequences_are_found_by_all_conditions_in_the_order_of_their_begin(storage: SequenceStorage) -> None:
    for number in range(6):
        add(
            storage,
            header(
                f"i{number}",
                {"retrieval": ("words", "embeddings")[number % 2]},
                run=("first", "second")[number // 3],
                repository=("shop", "library")[number % 2],
                created=f"2030-01-0{6 - number}T00:00:00Z",
            ),
            reward("recall", number / 4),
            *([outcome()] if number % 3 else []),
        )
    assert found(storage) == ["i5", "i4", "i3", "i2", "i1", "i0"]
    queries: list[dict[str, Any]] = [
        {"run": "second"}, {"experiment": "localization"}, {"experiment": "another"}, {"instance": "i4"},
        {"repository": "library"}, {"configuration": {"retrieval": "words"}}, {"is_complete": True},
        {"configuration": {"retrieval": "words", "tokens": 1}}, {"is_complete": False},
        {"since": "2030-01-03T00:00:00Z"}, {"until": "2030-01-03T00:00:00Z"},
        {"since": "2030-01-02T00:00:00Z", "until": "2030-01-05T00:00:00Z", "run": "first"},
        {"rewards": (RewardCondition("recall", 0.25, 0.75),)}, {"rewards": (RewardCondition("another"),)},
        {"rewards": (RewardCondition("recall", 0.25), RewardCondition("recall", None, 0.5))},
        {"run": "first", "is_complete": True, "repository": "shop", "configuration": {"retrieval": "words"}},
    ]  # fmt: skip
    everything = list(storage.find(SequenceQuery()))
    for conditions in queries:
        query = SequenceQuery(**conditions)
        expected = [summary for summary in everything if is_selected(summary, query)]
        assert list(storage.find(query)) == expected, conditions
    assert found(storage, limit=2) == ["i5", "i4"]
    assert found(storage, limit=1, run="first") == ["i2"]


def test_sequences_of_one_time_are_in_the_order_of_their_ids(storage: SequenceStorage) -> None:
    ids = [add(storage, header(f"i{number}")) for number in range(5)]
    assert [summary.header.id for summary in storage.find(SequenceQuery())] == sorted(ids)


def test_values_of_configurations_are_equal_by_kind_and_numbers_by_value(storage: SequenceStorage) -> None:
    values = {
        "int": 1, "float": 1.0, "true": True, "text": "1", "none": None, "long": "x" * 3000,
        "large": 2**53 + 1, "tenth": 0.1,
    }  # fmt: skip
    for name, value in values.items():
        storage.begin(header(name, {"value": value, "another": 5}))
    expected: list[tuple[Value, list[str]]] = [
        (1, ["float", "int"]), (1.0, ["float", "int"]), (True, ["true"]), ("1", ["text"]), (None, ["none"]),
        (False, []), (0, []), ("null", []), ("true", []), ("x" * 3000, ["long"]), ("x" * 2999, []),
        (2**53 + 1, ["large"]), (float(2**53), []), (0.1, ["tenth"]), (5, []),
    ]  # fmt: skip
    for wanted, instances in expected:
        assert sorted(found(storage, configuration={"value": wanted})) == instances, wanted
    (summary,) = storage.find(SequenceQuery(instance="float"))
    assert type(summary.header.configuration["value"]) is float


def test_results_of_more_than_a_page_are_complete(
    storage: SequenceStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wardround_lab.experiments.storage.sql._PAGE", 2)
    monkeypatch.setattr("wardround_lab.experiments.storage.firestore._PAGE", 2)
    for number in range(5):
        storage.begin(header(f"i{number}", created=f"2030-01-0{number // 2 + 1}T00:00:00Z"))
    assert sorted(found(storage)) == [f"i{number}" for number in range(5)]
    assert len(found(storage, limit=3)) == 3
    assert len(found(storage, limit=4, since="2030-01-02T00:00:00Z")) == 3
