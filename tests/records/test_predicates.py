"""The svr and test-result predicates follow from the predicate of a review."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import msgspec
import pytest

from tests.records.sample_reviews import predicate, signal
from wardround.records import predicates

POLICY = {"name": "default", "digest": {"sha256": "d" * 64}}


def result(**changes: Any) -> dict[str, Any]:
    return predicates.test_result(predicates.review_predicate(predicate(**changes)))


def test_svr_names_verdict_tier_and_policy() -> None:
    review = predicates.review_predicate(predicate())
    assert predicates.svr(review, "2030-01-31T12:00:05Z") == {
        "verifier": {"id": "https://wardround.dev/verifier/v1", "policies": [POLICY]},
        "timeCreated": "2030-01-31T12:00:05Z",
        "properties": [
            "WARDROUND_VERDICT_HUMAN_REVIEW",
            "WARDROUND_TIER_T3",
            "WARDROUND_POLICY_DEFAULT",
            "WARDROUND_GATE_PASS",
        ],
    }


def test_the_floor_of_the_organisation_is_a_policy_too() -> None:
    floor = {"name": "acme floor", "digest": f"sha256:{'e' * 64}"}
    both = [POLICY, {"name": "acme floor", "digest": {"sha256": "e" * 64}}]
    review = predicates.review_predicate(predicate(floor=floor))
    found = predicates.svr(review, "")
    assert found["verifier"]["policies"] == both
    assert found["properties"][2:4] == ["WARDROUND_POLICY_DEFAULT", "WARDROUND_POLICY_ACME_FLOOR"]
    assert predicates.test_result(review)["configuration"] == both


@pytest.mark.parametrize("outcome", ["blocked", "inconclusive", "unheard of"])
def test_svr_claims_a_passed_gate_only_if_it_passed(outcome: str) -> None:
    review = predicates.review_predicate(predicate(gate={"outcome": outcome}))
    assert "WARDROUND_GATE_PASS" not in predicates.svr(review, "")["properties"]


def test_planes_are_tests_by_their_severity() -> None:
    signals = [
        signal("intent", "not-applicable"),
        signal("contract", severity="info"),
        signal("semantic", severity="warn"),
        signal("tests", "inconclusive"),
        signal("security", severity="error"),
        signal("perf"),
    ]
    assert result(signals=signals, gate={"outcome": "blocked"}) == {
        "result": "FAILED",
        "configuration": [POLICY],
        "passedTests": ["contract", "perf"],
        "warnedTests": ["semantic"],
        "failedTests": ["tests", "security"],
    }


@pytest.mark.parametrize(
    ("outcome", "severity", "fail_level", "expected"),
    [
        ("pass", "none", "error", "PASSED"),
        ("pass", "info", "error", "PASSED"),
        ("pass", "warn", "error", "WARNED"),
        ("pass", "error", "none", "WARNED"),
        ("blocked", "warn", "warn", "FAILED"),
        ("inconclusive", "none", "error", "FAILED"),
    ],
)
def test_the_result_follows_the_gate(outcome: str, severity: str, fail_level: str, expected: str) -> None:
    gate = {"outcome": outcome, "fail_level": fail_level}
    assert result(signals=[signal("perf", severity=severity)], gate=gate)["result"] == expected


def test_a_severity_that_is_unknown_counts_as_the_highest() -> None:
    assert result(signals=[signal("perf", severity="fatal")])["failedTests"] == ["perf"]


def test_a_level_that_blocks_at_warn_makes_a_warned_plane_failed() -> None:
    gate = {"outcome": "blocked", "fail_level": "warn"}
    assert result(gate=gate)["failedTests"] == ["semantic"]


@pytest.mark.parametrize("part", ["context", "verdict", "policy", "gate", "signals"])
def test_a_missing_part_is_an_error(part: str) -> None:
    incomplete = predicate()
    del incomplete[part]
    with pytest.raises(msgspec.ValidationError, match=part):
        predicates.review_predicate(incomplete)


def test_times_are_utc_to_the_second() -> None:
    moment = datetime(2030, 1, 31, 13, 0, 5, 999, tzinfo=timezone(timedelta(hours=1)))
    assert predicates.timestamp(moment) == "2030-01-31T12:00:05Z"
    assert predicates.is_timestamp("2030-01-31T12:00:05Z")
    assert not predicates.is_timestamp("2030-1-31T12:00:05Z")
    assert not predicates.is_timestamp("2030-02-31T12:00:05Z")
    assert not predicates.is_timestamp("0001-01-01T00:00:00+23:59")
    assert not predicates.is_timestamp(5)
    with pytest.raises(ValueError, match="no time zone"):
        predicates.timestamp(datetime(2030, 1, 31))


def test_the_year_has_four_digits() -> None:
    assert predicates.is_timestamp(predicates.timestamp(datetime(999, 1, 1, tzinfo=UTC)))
