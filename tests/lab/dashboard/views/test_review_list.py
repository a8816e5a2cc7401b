"""Counts, filters and pages of the reviews in both kinds of store."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from tests.planes.evidence_factory import evidence, finding
from tests.records.places import Place
from tests.records.sample_reviews import FACTS, review
from wardround.errors import UsageError
from wardround.findings import Plane
from wardround.records import bundle
from wardround.records.record import predicate_of
from wardround.records.store import Query, RecordStore, open_store
from wardround_lab.dashboard.views.plane_list import plane_list
from wardround_lab.dashboard.views.record_content import RecordContents, decode
from wardround_lab.dashboard.views.review_list import (
    PAGE,
    ReviewFilters,
    Tally,
    by_period,
    review_list,
    short_names,
)

MONDAY = datetime(2030, 1, 7, 12, tzinfo=UTC)


def append(records: RecordStore, day: int, repository: str = "shop", *rules: str, **known: object) -> str:
    """Store a review; its digest."""
    facts = replace(FACTS, repository=repository, rules=rules)
    moment = MONDAY + timedelta(days=day)
    written = bundle.write(predicate_of(review(evidence(**known))), facts, None, moment)
    return records.append(written, facts)


@pytest.fixture
def records(store_place: Place) -> Iterator[RecordStore]:
    with open_store(store_place.location) as opened:
        append(opened, 0, "shop", "ruff/B006", findings=(finding(),))
        append(opened, 1, "billing", gate="blocked", findings=(finding(Plane.SECURITY, "error"),))
        append(opened, 15, "shop", "ruff/B006", "ruff/S608", missing=())
        yield opened


def test_reviews_are_counted_by_week_repository_and_tier(records: RecordStore) -> None:
    found = review_list(records, ReviewFilters())
    assert found.total == 3
    assert [(week.name, week.total) for week in found.periods] == [
        ("2030-01-07", 2), ("2030-01-14", 0), ("2030-01-21", 1),
    ]  # fmt: skip
    assert [(tally.name, tally.total) for tally in found.repositories] == [("shop", 2), ("billing", 1)]
    assert sum(tally.total for tally in found.tiers) == 3
    assert found.choices["repository"] == ["billing", "shop"]
    assert found.choices["rule"] == ["ruff/B006", "ruff/S608"]
    assert [record.repository for record in found.records] == ["shop", "billing", "shop"]


@pytest.mark.parametrize(
    ("query", "number"),
    [
        ({"repository": "shop"}, 2),
        ({"repository": "sho"}, 0),
        ({"rule": "ruff/S608"}, 1),
        ({"since": "2030-01-08"}, 2),
        ({"author": "ADA"}, 3),
        ({"author": "%"}, 0),
        ({"verdict": "escalate"}, 0),
        ({"repository": "' OR 1 = 1 --"}, 0),
    ],
)
def test_a_filter_selects_the_same_reviews_for_the_list_and_the_counts(
    records: RecordStore, query: dict[str, str], number: int
) -> None:
    found = review_list(records, ReviewFilters.from_address(query))
    assert (found.total, len(found.records)) == (number, number)
    assert sum(tally.total for tally in found.tiers) == number


def test_a_page_has_the_records_after_those_of_the_pages_before(store_place: Place) -> None:
    with open_store(store_place.location) as records:
        for day in range(PAGE + 1):
            append(records, day)
        first, second, third = (review_list(records, ReviewFilters(part=part)) for part in (1, 2, 3))
    assert [len(found.records) for found in (first, second, third)] == [PAGE, 1, 0]
    assert first.pages == second.pages == 2
    assert second.records[0].created.startswith("2030-01-07")


@pytest.mark.parametrize(
    "query", [{"since": "soon"}, {"since": "2030-02-30"}, {"part": "0"}, {"part": "-1"}, {"part": "²"}]
)
def test_an_address_with_a_value_that_is_none_is_an_error(query: dict[str, str]) -> None:
    with pytest.raises(UsageError, match=next(iter(query))):
        ReviewFilters.from_address(query)


def test_filters_without_a_value_are_not_part_of_an_address() -> None:
    filters = ReviewFilters(repository="shop", part=3)
    assert filters.address() == {"repository": "shop", "part": "3"}
    assert filters.address(part=1, tier="T1") == {"repository": "shop", "tier": "T1"}


def test_planes_are_counted_from_the_newest_records(records: RecordStore) -> None:
    contents = RecordContents()
    found = plane_list(records, Query(), contents)
    planes = {plane.plane: plane for plane in found.planes}
    assert found.reviews == 3
    assert planes["semantic"].severities["warn"] == 1
    assert planes["security"].severities["error"] == 1
    assert plane_list(records, Query(repository="shop"), contents).reviews == 2


def test_bytes_that_are_no_record_have_no_content() -> None:
    for data in (b"", b"{}\n", b'{"payload": "!"}\n', b'{"payload": "e30="}\n'):
        assert decode(data) is None


def test_many_weeks_are_months_and_gaps_are_shown() -> None:
    periods = by_period([Tally("2028-11-05", {"a": 1}), Tally("2030-02-01", {"a": 2})])
    assert (periods[0].name, periods[-1].name, len(periods)) == ("2028-11", "2030-02", 16)
    assert [period.total for period in periods if period.total] == [1, 2]
    assert by_period([]) == []


def test_repositories_are_named_by_the_shortest_end_that_is_their_own() -> None:
    paths = ["/a/shop", "/b/shop", "/b/site", "https://example.org/x.git", "", "shop"]
    assert short_names(paths) == {
        "/a/shop": "a/shop", "/b/shop": "b/shop", "/b/site": "site", "https://example.org/x.git": "x.git",
        "": "", "shop": "shop",
    }  # fmt: skip
