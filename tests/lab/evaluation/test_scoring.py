"""Counting what came of cases."""

from __future__ import annotations

from typing import Any

from wardround_lab.evaluation.batch import CaseFinding, CaseOutcome, ExpectedPosition, NotReviewed
from wardround_lab.evaluation.scoring import score


def _said(
    line: int, rule: str = "t/1", severity: str = "warn", held_back: str = "", file: str = "a"
) -> CaseFinding:
    return CaseFinding(file, line, line, rule, (rule,), rule.replace("/", "-"), "s", severity, "m", held_back)


def _outcome(name: str, *said: CaseFinding, lines: tuple[int, ...] = (), **values: Any) -> CaseOutcome:
    expected = tuple(ExpectedPosition("a", line, line, "c") for line in lines)
    return CaseOutcome(name, f"set.jsonl:{name}", "set", "", expected, said, added_lines=50, **values)


def test_recall_counts_places_on_the_line_and_within_three() -> None:
    outcomes = [
        _outcome("1", _said(10), lines=(10, 13, 14)),
        _outcome("2", _said(10, held_back="existing"), lines=(10,)),
        _outcome("3", _said(10, file="other"), lines=(10,)),
    ]
    recall = score(outcomes).total.recall
    assert (recall.expected, recall.exact, recall.near, recall.near_held_back) == (5, 1, 2, 3)


def test_precision_and_false_alarms_and_rates() -> None:
    outcomes = [
        _outcome("1", _said(10), _said(30, severity="error"), lines=(10,)),
        _outcome("2", _said(1, severity="info")),
        _outcome("3"),
    ]
    total = score(outcomes).total
    assert (total.precision.hits, total.precision.of) == (1, 2)
    assert (total.false_alarms.hits, total.false_alarms.of) == (1, 2)
    assert (total.rate(), total.rate("warn", "error"), total.rate("error")) == (2.0, 100 * 2 / 150, 100 / 150)


def test_findings_below_the_level_do_not_count() -> None:
    outcomes = [_outcome("1", _said(10, severity="info")), _outcome("2", _said(10, severity="error"))]
    total = score(outcomes, "warn").total
    assert (total.alerts, total.alarmed) == (1, 1)


def test_rules_and_categories_are_scored_by_position() -> None:
    found = score(
        [_outcome("1", _said(10), _said(11, "t/2"), _said(40), lines=(10,)), _outcome("2", _said(1))]
    )
    rule = found.rules["set", "t/1"]
    assert (rule.shown, rule.exact, rule.right, rule.in_defects, rule.in_clean) == (3, 1, 1, 2, 1)
    category = found.categories["set", "c"]
    assert dict(category.by_rule) == {"t/1": 1, "t/2": 1}
    assert dict(category.by_class) == {"t-1": 1, "t-2": 1}


def test_unreviewed_and_unusable_cases_are_counted_separately() -> None:
    missing = (NotReviewed("a", "t", "gone"), NotReviewed("b", "t", "gone"))
    found = score(
        [_outcome("1", unreviewed=missing), _outcome("2", unusable="no diff"), _outcome("3", crashed="x")]
    )
    assert found.unreviewed == {("t", "gone"): 1}
    assert found.unusable == [("set.jsonl:2", "no diff")]
    assert found.crashed == [("set.jsonl:3", "x")]
    assert (found.total.cases, found.total.clean_cases, found.total.not_fully_reviewed) == (3, 2, 1)


def test_a_position_is_found_by_name_if_a_source_has_the_name_of_its_category() -> None:
    merged = CaseFinding("a", 10, 10, "t/1", ("t/1", "u/react/c"), "x", "s", "warn", "m")
    assert score([_outcome("1", merged, lines=(10, 11))]).total.recall.named == 1
    assert score([_outcome("1", _said(10, "t/not-c"), lines=(10,))]).total.recall.named == 0


def test_a_case_is_found_if_one_of_its_places_is() -> None:
    outcomes = [
        _outcome("1", _said(10), lines=(10, 50)),
        _outcome("2", _said(12), lines=(10, 50)),
        _outcome("3", lines=(10,)),
        _outcome("4", _said(10)),
    ]
    total = score(outcomes).total
    assert (total.found_cases(0).hits, total.found_cases(3).hits, total.found_cases(3).of) == (1, 2, 3)


def test_anchors_of_a_fix_are_counted_separately() -> None:
    anchor = ExpectedPosition("a", 20, 20, "c", how="anchor")
    outcome = CaseOutcome(
        "1", "set.jsonl:1", "set", "", (ExpectedPosition("a", 10, 10, "c"), anchor), (_said(21),)
    )
    total = score([outcome]).total
    assert (total.recall.expected, total.recall.near) == (1, 0)
    assert (total.anchored.expected, total.anchored.exact, total.anchored.near) == (1, 0, 1)
    assert total.found_cases(3).hits == 1
