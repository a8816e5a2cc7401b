"""Triage ranks and folds by rates and counters; it never hides an error or what is costly to miss."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from wardround.findings import Edit, Finding, Plane, Severity, Span, Status, SuggestedFix
from wardround.processors.action_rates import COUNTERS, ActionRate, ActionRates, load_action_rates
from wardround.processors.counters import Counters, function_lengths, is_test
from wardround.processors.triage import (
    CROWD,
    FOLD_AFTER,
    SHOWN_OF_CROWD,
    RuleGroupFold,
    ScoredFinding,
    is_high_impact,
    score,
    triage,
)

WEAK = ActionRate(fix=0.02, placebo=0.05, repositories=9, items=400)
STRONG = ActionRate(fix=0.2, placebo=0.05, repositories=9, items=400)
PLAIN = Finding(
    "0" * 16, "ruff/SIM108", "ruff-SIM108", Plane.SEMANTIC, "python", Severity.INFO, "a.py",
    Span(1, 1, 1, 2), "m", "", Status.NEW,
)  # fmt: skip
COUNTED = Counters(False, 100, 3, 1, 1, True, False, 10)
ZEROS = dict.fromkeys(COUNTERS, 0.0)
RANKING = ActionRates(
    0.0, ZEROS | {"prior": 1.0, "same-in-file": -0.5}, ZEROS | {"prior": -3.0, "function-lines": 2.0}, -2.0
)


def weighed(
    number: int = 0, rate: ActionRate | None = WEAK, dismissed: float = 0.0, **values: object
) -> ScoredFinding:
    finding = replace(PLAIN, fingerprint=f"{number:016x}", span=Span(number + 1, 1, number + 1, 2))
    return ScoredFinding(replace(finding, **values), COUNTED, rate, dismissed)  # type: ignore[arg-type]


def folded(*given_: ScoredFinding) -> set[str]:
    return set(triage(given_, RANKING).folded)


class TestFolding:
    def test_a_rule_nobody_acts_on_more_than_on_plain_lines_folds(self) -> None:
        assert folded(weighed()) == {f"{0:016x}"}

    def test_one_that_is_acted_on_twice_as_often_does_not(self) -> None:
        ranking = replace_threshold(100.0)
        assert not triage([weighed(rate=ActionRate(0.1, 0.05, 9, 400))], ranking).folded
        assert triage([weighed(rate=ActionRate(0.099, 0.05, 9, 400))], ranking).folded

    def test_one_that_was_not_measured_does_not(self) -> None:
        assert not folded(weighed(rate=None), weighed(1, rate=None, rule="acme/A1"))

    def test_a_place_that_speaks_for_it_keeps_it_in_view(self) -> None:
        assert not triage([weighed()], replace_threshold(-100.0)).folded

    @pytest.mark.parametrize(
        "values",
        [
            {"severity": Severity.ERROR},
            {"plane": Plane.SECURITY},
            {"masked": True},
            {"rule": "ruff/S311"},
            {"rule": "ruff/B023"},
            {"sources": ("ruff/SIM108", "ruff/S110")},
            {"rule": "wardround/unused-suppression"},
        ],
    )
    def test_never_where_a_miss_is_costly(self, values: dict[str, object]) -> None:
        many = [weighed(n, dismissed=100.0, **values) for n in range(3 * CROWD)]
        assert folded(*many) == set()
        assert triage(many, RANKING).crowds == ()

    def test_a_rule_that_was_dismissed_often_folds_even_if_it_was_not_measured(self) -> None:
        assert folded(weighed(rate=None, dismissed=FOLD_AFTER))
        assert not folded(weighed(rate=None, dismissed=FOLD_AFTER - 0.01))
        assert folded(weighed(rate=STRONG, dismissed=FOLD_AFTER))

    @pytest.mark.parametrize(
        ("rule", "expected"),
        [("ruff/S110", True), ("ruff/SIM110", False), ("ruff/B023", True), ("ruff/B007", False),
         ("ruff/F821", True), ("ruff/F401", False), ("acme/S110", False)],
    )  # fmt: skip
    def test_which_rules_are_costly(self, rule: str, expected: bool) -> None:
        assert is_high_impact(rule) is expected


class TestCrowds:
    def test_of_a_crowd_the_first_are_shown_and_an_offer_is_made(self) -> None:
        safe = SuggestedFix("d", True, (Edit("a.py", Span(1, 1, 1, 2), ""),))
        many = [weighed(n, rate=STRONG, suggested_fix=safe if n < 2 else None) for n in range(CROWD)]
        done = triage(many, RANKING)
        assert len(done.folded) == CROWD - SHOWN_OF_CROWD
        assert done.crowds == (RuleGroupFold("ruff/SIM108", CROWD, CROWD, 2),)
        assert max(done.order[f] for f in done.order if f not in done.folded) == SHOWN_OF_CROWD - 1

    def test_one_less_is_none(self) -> None:
        done = triage([weighed(n, rate=STRONG) for n in range(CROWD - 1)], RANKING)
        assert (done.folded, done.crowds) == (frozenset(), ())

    def test_what_the_repository_is_known_to_hold_is_told(self) -> None:
        counted = replace(COUNTED, same_in_repository=40)
        many = [replace(weighed(n, rate=STRONG), counters=counted) for n in range(CROWD)]
        assert triage(many, RANKING).crowds[0].known == 40


class TestRanking:
    def test_severity_comes_first_then_the_score_then_the_place(self) -> None:
        given_ = [
            weighed(0, rate=WEAK),
            weighed(1, rate=STRONG),
            weighed(2, rate=STRONG),
            weighed(3, severity=Severity.WARN),
        ]
        done = triage(given_, RANKING)
        assert sorted(done.order, key=lambda f: done.order[f]) == [f"{n:016x}" for n in (3, 1, 2, 0)]

    def test_a_rule_without_a_rate_ranks_as_the_average(self) -> None:
        assert (
            score(weighed(rate=WEAK), RANKING)
            < score(weighed(rate=None), RANKING)
            < score(weighed(rate=STRONG), RANKING)
        )

    @pytest.mark.parametrize("rate", [None, WEAK, STRONG])
    def test_every_dismissal_lowers_a_rule(self, rate: ActionRate | None) -> None:
        scores = [score(weighed(rate=rate, dismissed=float(n)), RANKING) for n in range(5)]
        assert scores == sorted(scores, reverse=True)
        assert len(set(scores)) == 5

    def test_a_function_of_unknown_length_counts_as_the_average_one(self) -> None:
        row = replace(COUNTED, function_lines=None).row(None, RANKING.means)
        assert row[COUNTERS.index("function-lines")] == 2.0
        assert row[COUNTERS.index("prior")] == -3.0

    @given(st.randoms(use_true_random=False))
    def test_the_order_given_changes_nothing(self, chance: random.Random) -> None:
        rates = (None, WEAK, STRONG)
        given_ = [weighed(n, rate=rates[n % 3], dismissed=float(n % 2 * 4)) for n in range(20)]
        mixed = list(given_)
        chance.shuffle(mixed)
        assert triage(mixed, RANKING) == triage(given_, RANKING)

    def test_weights_of_other_counters_are_refused(self) -> None:
        with pytest.raises(ValueError, match="weights and means must be of prior, "):
            ActionRates(0.0, {"prior": 1.0}, ZEROS, 0.0)


class TestCounting:
    def test_the_innermost_function_counts(self) -> None:
        source = "x = 1\ndef f(\n    a,\n):\n    def g():\n        return a\n\n    return g\n\n\ny = 2\n"
        assert function_lengths(source.split("\n")) == [0, 7, 7, 7, 2, 2, 7, 7, 0, 0, 0, 0]

    def test_async_methods_and_dedents_in_brackets(self) -> None:
        source = "class C:\n    async def f(self):\n        return (\n            1\n    )\n    z = 1"
        assert function_lengths(source.split("\n")) == [0, 3, 3, 3, 0, 0]

    @pytest.mark.parametrize(
        ("path", "expected"),
        [("tests/a.py", True), ("pkg/test_a.py", True), ("a_test.py", True), ("conftest.py", True),
         ("src/latest.py", False), ("contest.py", False), ("src/a.spec.ts", True)],
    )  # fmt: skip
    def test_what_is_a_test(self, path: str, expected: bool) -> None:
        assert is_test(path) is expected


class TestShippedRates:
    def test_every_rate_is_from_enough_repositories(self) -> None:
        rates = load_action_rates()
        assert rates.tool == "ruff"
        assert len(rates.rules) > 50
        assert all(rate.repositories >= 5 for rate in rates.rules.values())
        assert all(0 < rate.fix < 1 and 0 < rate.placebo < 1 for rate in rates.rules.values())

    def test_the_signs_are_those_of_earlier_measurements(self) -> None:
        weights = load_action_rates().ranking.weights
        assert weights["prior"] > 0
        assert weights["same-in-file"] < 0
        assert weights["same-in-repository"] < 0


def replace_threshold(threshold: float) -> ActionRates:
    return ActionRates(RANKING.bias, RANKING.weights, RANKING.means, threshold)
