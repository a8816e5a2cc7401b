"""Triage ranks and folds by estimates and dismissals; it never hides an error or costly findings."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from wardround import host
from wardround.findings import Edit, Estimate, Finding, Plane, Severity, Span, Status, SuggestedFix
from wardround.processors.judge.counters import function_lengths
from wardround.processors.triage import (
    CROWD,
    FOLD_AFTER,
    SHOWN_OF_CROWD,
    RuleGroupFold,
    Triage,
    triage,
)

CATALOGUE = host.load().catalogue
RULE = "ruff/SIM108"
PLAIN = Finding(
    "0" * 16, RULE, "ruff-SIM108", Plane.SEMANTIC, "python", Severity.INFO, "a.py",
    Span(1, 1, 1, 2), "m", "", Status.NEW,
)  # fmt: skip
UNLIKELY = Estimate(0.01, 0.02, "ruff/SIM108: 40 read", is_folded=True)


def likely(worth: float) -> Estimate:
    return Estimate(worth, 0.02, "ruff/SIM108: 40 read")


def numbered(number: int = 0, **values: object) -> Finding:
    item = replace(PLAIN, fingerprint=f"{number:016x}", span=Span(number + 1, 1, number + 1, 2))
    return replace(item, **values)


def ranked(*findings: Finding, dismissed: Mapping[str, float] | None = None, known: int = 0) -> Triage:
    return triage(findings, {RULE: known}, dismissed or {}, CATALOGUE.is_high_impact)


class TestFolding:
    def test_a_finding_that_the_judge_folds_is_folded(self) -> None:
        assert ranked(numbered(estimate=UNLIKELY)).folded == {PLAIN.fingerprint}

    def test_another_is_not(self) -> None:
        assert not ranked(numbered(), numbered(1, estimate=likely(0.1))).folded

    @pytest.mark.parametrize(("count", "folded"), [(2, 0), (3, 2), (11, 10)])
    def test_equal_findings_of_a_test_file_are_folded_but_the_first(self, count: int, folded: int) -> None:
        path = "tests/test_a.py"
        equal = [numbered(number, file=path, severity=Severity.WARN) for number in range(count)]
        done = ranked(*equal, numbered(20, file=path, message="another"), numbered(21))
        assert len(done.folded) == folded
        assert equal[0].fingerprint not in done.folded

    def test_equal_errors_and_equal_findings_of_other_files_are_not(self) -> None:
        errors = [numbered(item, file="tests/test_a.py", severity=Severity.ERROR) for item in range(5)]
        assert not ranked(*errors, *(numbered(item + 10) for item in range(5))).folded

    def test_a_rule_that_was_dismissed_often_is(self) -> None:
        assert ranked(numbered(), dismissed={RULE: FOLD_AFTER}).folded
        assert not ranked(numbered(), dismissed={RULE: FOLD_AFTER - 0.01}).folded

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
    def test_findings_with_high_impact_are_not_folded_for_dismissals(self, values: dict[str, object]) -> None:
        many = [numbered(n, **values) for n in range(3 * CROWD)]
        done = triage(many, {}, {many[0].rule: 100.0}, CATALOGUE.is_high_impact)
        assert (done.folded, done.crowds) == (frozenset(), ())

    @pytest.mark.parametrize(
        ("rule", "expected"),
        [("ruff/S110", True), ("ruff/SIM110", False), ("ruff/B023", True), ("ruff/B007", False),
         ("ruff/F821", True), ("ruff/F401", False), ("acme/S110", False)],
    )  # fmt: skip
    def test_rules_with_high_impact(self, rule: str, expected: bool) -> None:
        assert CATALOGUE.is_high_impact(rule) is expected


class TestCrowds:
    def test_of_a_crowd_the_first_are_shown_and_an_offer_is_made(self) -> None:
        safe = SuggestedFix("d", True, (Edit("a.py", Span(1, 1, 1, 2), ""),))
        many = [numbered(n, suggested_fix=safe if n < 2 else None) for n in range(CROWD)]
        done = ranked(*many)
        assert len(done.folded) == CROWD - SHOWN_OF_CROWD
        assert done.crowds == (RuleGroupFold(RULE, CROWD, CROWD, 2),)
        assert max(done.order[f] for f in done.order if f not in done.folded) == SHOWN_OF_CROWD - 1

    def test_one_less_is_none(self) -> None:
        done = ranked(*(numbered(n) for n in range(CROWD - 1)))
        assert (done.folded, done.crowds) == (frozenset(), ())

    def test_known_findings_of_the_repository_are_counted(self) -> None:
        assert ranked(*(numbered(n) for n in range(CROWD)), known=40).crowds[0].known == 40


class TestRanking:
    def test_severity_comes_first_then_the_estimate_then_the_position(self) -> None:
        done = ranked(
            numbered(0, estimate=likely(0.1)),
            numbered(1, estimate=likely(0.3)),
            numbered(2, estimate=likely(0.3)),
            numbered(3, severity=Severity.WARN),
        )
        assert sorted(done.order, key=lambda f: done.order[f]) == [f"{n:016x}" for n in (3, 1, 2, 0)]

    def test_dismissals_of_its_rule_lower_a_finding(self) -> None:
        item, other = numbered(0, estimate=likely(0.3)), numbered(1, rule="acme/A1", estimate=likely(0.29))
        assert ranked(item, other).order[item.fingerprint] == 0
        assert ranked(item, other, dismissed={RULE: 1.0}).order[item.fingerprint] == 1

    @given(st.randoms(use_true_random=False))
    def test_the_order_of_the_findings_changes_nothing(self, chance: random.Random) -> None:
        findings = [numbered(n, estimate=likely(n % 3 / 10)) for n in range(20)]
        mixed = list(findings)
        chance.shuffle(mixed)
        assert ranked(*mixed) == ranked(*findings)


class TestCounting:
    def test_the_innermost_function_counts(self) -> None:
        source = "x = 1\ndef f(\n    a,\n):\n    def g():\n        return a\n\n    return g\n\n\ny = 2\n"
        assert function_lengths(source.split("\n")) == [0, 7, 7, 7, 2, 2, 7, 7, 0, 0, 0, 0]

    def test_async_methods_and_dedents_in_brackets(self) -> None:
        source = "class C:\n    async def f(self):\n        return (\n            1\n    )\n    z = 1"
        assert function_lengths(source.split("\n")) == [0, 3, 3, 3, 0, 0]
