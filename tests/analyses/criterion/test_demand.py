"""A criterion is read as literals with their spellings, content words, polarity, and defaults."""

from __future__ import annotations

import pytest

from wardround.analyses.criterion.demand import LiteralKind, covered_words, demand_of, stems


@pytest.mark.parametrize(
    ("text", "literals"),
    [
        ("`GET /a/{id}` returns 404", ["GET", "/a/{id}", "404"]),
        ("The option --dry-run writes nothing", ["--dry-run"]),
        ("APP_HOME is read before 3 attempts", ["APP_HOME", "3"]),
        ('shows "No results" in bold', ["No results"]),
        ("`users.email` is required", ["users.email"]),
        ("runs at 03:00", ["03:00"]),
        ("expires after 15 minutes", ["15"]),
        ("a plain sentence", []),
    ],
)
def test_literals(text: str, literals: list[str]) -> None:
    assert [literal.text for literal in demand_of(text).literals] == literals


def test_a_duration_a_size_and_a_status_have_other_spellings() -> None:
    (minutes,) = demand_of("expires after 15 minutes").literals
    (size,) = demand_of("uploads of 5 MB").literals
    (status,) = demand_of("answers with 404").literals

    assert {"15", "900", "900000"} <= set(minutes.spellings)
    assert {"5", "5242880", "5000000"} <= set(size.spellings)
    assert {"404", "not_found"} <= set(status.spellings)
    assert status.kind is LiteralKind.VALUE


@pytest.mark.parametrize(
    ("text", "default"),
    [
        ("`x` defaults to `true`", "true"),
        ("The default of `limit` is 20", "20"),
        ("`x` is disabled by default", "false"),
        ("a default value of 5", "5"),
        ("`x` is set", ""),
    ],
)
def test_defaults(text: str, default: str) -> None:
    assert demand_of(text).default == default


@pytest.mark.parametrize(
    "text", ["Guests cannot see it", "without a token", "is hidden", "only admins", "rejects it"]
)
def test_negative_criteria(text: str) -> None:
    assert demand_of(text).is_negative


@pytest.mark.parametrize("text", ["at most 3 times", "more than two", "over 5 MB", "between 1 and 3"])
def test_criteria_that_compare(text: str) -> None:
    assert demand_of(text).bounds


@pytest.mark.parametrize(
    ("text", "is_unverifiable"),
    [
        ("The docs are updated", True),
        ("Looks like the mockup", True),
        ("Responds within 300 ms", True),
        ("Ends within 2 minutes", True),
        ("The user looks up a name", False),
        ("The cache is cleared", False),
        ("Reviews are sorted", False),
    ],
)
def test_unverifiable_criteria(text: str, is_unverifiable: bool) -> None:
    assert bool(demand_of(text).unverifiable) is is_unverifiable


def test_criteria_about_tests_and_removals() -> None:
    assert demand_of("A unit test covers the empty list").about_tests
    assert demand_of("The parser has tests").about_tests
    assert not demand_of("The test mode is off").about_tests
    assert demand_of("The flag is removed").removes


def test_words_are_compared_by_stem_synonym_and_beginning() -> None:
    words = stems("Deleted parameters are kept")

    assert covered_words(words, stems("removeRow(param)")) == words - {"keep"}
    assert stems("hidden") == stems("hides")
