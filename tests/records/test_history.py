"""The last recorded reviews of a repository: of a store of either kind, which may be absent or broken."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.records.places import FilePlace, Place
from tests.records.sample_reviews import FACTS, context, record
from wardround.databases.postgres_url import PostgresUrl
from wardround.records import store
from wardround.records.history import read_history
from wardround.review_history import PastReview, SeverityCounts

PRESENT = context({"number": 99})["id"]
MOMENT = "2030-01-31T12:00:05Z"


def append(place: Place, number: int, repository: str = "shop", findings: Any = ()) -> None:
    """Append the record of one context; ``findings`` are severity and status."""
    known = [{"severity": severity, "status": status, "rule": "x/1"} for severity, status in findings]
    bundle = record(None, context=context({"number": number}), evidence={"findings": known})
    with store.open_store(place.location) as records:
        records.append(bundle, replace(FACTS, repository=repository))


@pytest.fixture
def file_place(tmp_path: Path) -> Place:
    return FilePlace(tmp_path / "records.sqlite")


def test_the_findings_that_a_change_introduced_are_counted(file_place: Place) -> None:
    found = [("error", "new"), ("warn", "caused"), ("warn", "suppressed"), ("info", "existing")]
    append(file_place, 1, findings=found)
    history = read_history(file_place.location, "shop", PRESENT)
    assert history is not None
    assert history.reviews == (
        PastReview(MOMENT, FACTS.head, "human-review", "T3", SeverityCounts(error=1, warn=1)),
    )


def test_the_last_twenty_of_the_repository_are_read_and_those_of_the_present_context_left_out(
    store_place: Place,
) -> None:
    for number in range(23):
        append(store_place, number, findings=[("info", "new")] * number)
    append(store_place, 50, repository="other")
    append(store_place, 99)
    history = read_history(store_place.location, "shop", PRESENT)
    assert history is not None
    assert [past.counts.info for past in history.reviews if past.counts] == list(range(3, 23))


def test_a_record_that_cannot_be_read_has_no_counts(file_place: Place) -> None:
    append(file_place, 1)
    file_place.tamper("UPDATE records SET bundle = 'not a record'")
    history = read_history(file_place.location, "shop", PRESENT)
    assert history is not None
    assert [(past.verdict, past.counts) for past in history.reviews] == [("human-review", None)]


def test_an_absent_store_is_not_created(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "records.sqlite"
    assert read_history(file, "shop", PRESENT) is None
    assert not file.parent.exists()


def test_a_store_that_cannot_be_read_is_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "records.sqlite"
    file.write_text("this is not a database of any kind")
    broken = read_history(file, "shop", PRESENT)
    assert broken is not None
    assert "file is not a database; move the file away" in broken.problem
    unreachable = read_history(PostgresUrl("postgresql://ada:hunter2@127.0.0.1:1/records"), "shop", PRESENT)
    assert unreachable is not None
    assert "Connection refused; check host and port" in unreachable.problem
    assert "hunter2" not in unreachable.problem
