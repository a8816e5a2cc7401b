"""Word overlap as evidence: its features, and the weight of a word within its group."""

from __future__ import annotations

import math

import pytest

from wardround.retrieval.lexical_features import OVERLAP_NAMES, lexical_features


def named(query: str, *candidates: str) -> list[dict[str, float]]:
    return [dict(zip(OVERLAP_NAMES, row, strict=True)) for row in lexical_features(query, candidates)]


def test_words_match_parts_of_identifiers_whatever_their_case_and_ending() -> None:
    right, wrong = named("parses empty headers", "parseHeader('')\nisEmpty()", "send_mail(to)")
    assert right["covered"] == pytest.approx(1.0)
    assert wrong["covered"] == 0.0
    assert right["covered-margin"] == pytest.approx(1.0)
    assert wrong["covered-margin"] == pytest.approx(-1.0)


def test_a_word_that_every_candidate_holds_states_little() -> None:
    first, second, _ = named("client retries", "client.retry()", "client.close()", "client.open()")
    assert first["covered"] > 0.7 > second["covered"] > 0


def test_numbers_count_only_where_the_query_has_some() -> None:
    right, wrong = named("Set up Python 3.12", "python-version: 3.12", "python-version: 3.9")
    assert (right["numbers"], wrong["numbers"]) == (1.0, 0.5)
    assert {row["numbers"] for row in named("Set up Python", "python 3", "python 4")} == {0.5}


def test_runs_and_order_see_word_order() -> None:
    right, wrong = named("close idle client", "close_idle_client()", "client(); idle(); close()")
    assert right["longest-run"] == pytest.approx(1.0)
    assert wrong["longest-run"] == pytest.approx(1 / 3)
    assert right["order"] > wrong["order"]


@pytest.mark.parametrize("query", ["", "   ", "!!!", "\0\ud800", "word " * 5_000])
def test_any_text_has_finite_evidence(query: str) -> None:
    rows = lexical_features(query, ["", "x" * 10_000, "a b c"])
    assert all(len(row) == len(OVERLAP_NAMES) for row in rows)
    assert all(math.isfinite(value) for row in rows for value in row)
