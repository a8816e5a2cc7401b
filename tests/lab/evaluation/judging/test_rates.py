"""Agreement of readers, and rates of groups of findings."""

from __future__ import annotations

import datetime
import json

import pytest

from wardround import host
from wardround.rules.intervals import wilson
from wardround.rules.judgements import FindingKey, Judgement, Verdict, judgement_of, key_id, reasons_for
from wardround.rules.reading_counts import ReadingCounts
from wardround.rules.renamed import former_names
from wardround_lab.evaluation.judging.agreement import agreement, disagreements, kappa, majority_verdicts
from wardround_lab.evaluation.judging.rates import (
    counts_by,
    group_verdicts,
    interval,
    rule_of,
    specialist_of,
    split_verdicts,
)
from wardround_lab.evaluation.judging.rates_report import agreement_json, rates_rows, rates_table

DAY = datetime.date(2026, 5, 4)


def read(line: int, *verdicts: str, repository: str = "team/shop") -> list[Judgement]:
    """Readings of one finding, by readers a, b, c."""
    key = FindingKey(repository, "a" * 40, "src/a.py", line, "ruff/B006")
    return [
        judgement_of(key, verdict, reasons_for(Verdict(verdict))[0], reader, DAY)
        for reader, verdict in zip("abc", verdicts, strict=False)
    ]


def test_kappa_is_1_for_agreement_0_for_chance_and_undefined_for_one_label() -> None:
    assert kappa([("x", "x"), ("y", "y")]) == 1
    assert kappa([("x", "x"), ("x", "y"), ("y", "x"), ("y", "y")]) == 0
    assert kappa([("x", "x")]) is None
    assert kappa([]) is None


def test_agreement_counts_the_first_two_readings_in_all_and_by_verdict() -> None:
    readings = [
        *read(1, "worth", "worth"),
        *read(2, "true", "true"),
        *read(3, "wrong", "true", "true"),
        *read(4, "true"),
    ]
    found = agreement(readings)
    assert (found.pairs, found.agreed) == (3, 2)
    assert found.by_verdict[Verdict.WORTH] == 1
    assert found.by_verdict[Verdict.UNCLEAR] is None


def test_a_disagreement_is_listed_until_a_third_reading_decides_it() -> None:
    two, three = read(1, "worth", "true"), read(1, "worth", "true", "true")
    assert [key.line for key in disagreements(two)] == [1]
    assert disagreements(three) == []
    assert list(majority_verdicts(two).values()) == [Verdict.UNCLEAR]
    assert list(majority_verdicts(three).values()) == [Verdict.TRUE]


def test_each_finding_counts_once() -> None:
    readings = [*read(1, "worth", "worth", "true"), *read(2, "wrong", repository="team/blog")]
    verdicts = majority_verdicts(readings)
    counts = counts_by(verdicts, rule_of)
    assert counts == {"ruff/B006": ReadingCounts(repositories=2, worth=1, wrong=1)}
    assert counts["ruff/B006"].summary() == "read 2 times in 2 repositories: 1 worth, 1 wrong"
    rows = rates_rows(group_verdicts(verdicts, rule_of), by_repository=False)
    assert rates_table("rule", rows).splitlines()[1] == (
        "    2     2      50% [9, 91]       0% [0, 66]      50% [9, 91]  ruff/B006"
    )


def test_findings_that_are_no_longer_reported_are_counted_apart() -> None:
    verdicts = majority_verdicts([*read(1, "worth"), *read(2, "wrong")])
    first, second = verdicts
    found, removed = split_verdicts(verdicts, {key_id(second)})
    assert (list(found), list(removed)) == ([first], [second])


def test_readings_of_a_former_id_count_for_the_present_rule() -> None:
    former, (current,) = next(
        (former, ids) for former, ids in former_names().items() if "/" in former and len(ids) == 1
    )
    assert rule_of(FindingKey("team/shop", "a" * 40, "a.py", 1, former)) == current


def test_the_interval_of_a_group_is_wider_where_repositories_differ() -> None:
    def verdicts(*, is_clustered: bool) -> dict[FindingKey, Verdict]:
        pairs = [(repository, line) for repository in "abcd" for line in (1, 2)]
        right = [(repository in "ab") if is_clustered else line == 1 for repository, line in pairs]
        return majority_verdicts(
            item
            for (repository, line), is_right in zip(pairs, right, strict=True)
            for item in read(line, "worth" if is_right else "wrong", repository=repository)
        )

    alike, unlike = verdicts(is_clustered=False), verdicts(is_clustered=True)
    assert interval(alike, Verdict.WORTH, by_repository=True) == wilson(4, 8)
    assert interval(unlike, Verdict.WORTH, by_repository=True) == (0.0, 1.0)
    assert interval(unlike, Verdict.WORTH, by_repository=False) == wilson(4, 8)


@pytest.mark.parametrize(
    ("rule", "path", "specialist"),
    [
        ("ruff/F401", "src/a.py", "python"),
        ("docker-ci/DC205", ".github/workflows/ci.yml", "docker-ci"),
        ("oxlint/no-unused-vars", "web/a.ts", "typescript"),
        ("nobody/X1", "a.txt", "nobody"),
    ],
)
def test_a_finding_belongs_to_the_specialist_that_reports_it(rule: str, path: str, specialist: str) -> None:
    assert specialist_of(FindingKey("team/shop", "a" * 40, path, 1, rule), host.load()) == specialist


def test_json_has_the_third_readings_without_the_verdicts_so_far() -> None:
    readings = read(1, "worth", "true")
    document = json.loads(agreement_json(agreement(readings), disagreements(readings)))
    (due,) = document["third_readings"]
    assert (due["line"], due["rule"], "verdict" in due) == (1, "ruff/B006", False)
    assert document["agreement"]["pairs"] == 1
