"""Agreement of readers, rates of rules, and the level that rates allow."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from wardround import host
from wardround.errors import ConfigError
from wardround.rules.judgements import FindingKey, Judgement, Verdict, judgement_of, reasons_for
from wardround.rules.model import RULES_PACKAGE, package_folder
from wardround.rules.reading_counts import FILE, ReadingCounts, reading_counts
from wardround.storage.judgement_files import load_judgements
from wardround_lab.evaluation.judging.agreement import agreement, disagreements, kappa, resolved
from wardround_lab.evaluation.judging.rates import counts_by, kind_of_file
from wardround_lab.evaluation.judging.rates_report import counts_file, rates_table
from wardround_lab.evaluation.judging.standing import Level, differences, earned, read_overrides

DAY = datetime.date(2026, 5, 4)
JUDGEMENTS = Path(__file__).parents[4] / "evals" / "judgements"


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
    assert list(resolved(two).values()) == [Verdict.UNCLEAR]
    assert list(resolved(three).values()) == [Verdict.TRUE]


def test_each_finding_counts_once() -> None:
    readings = [*read(1, "worth", "worth", "true"), *read(2, "wrong", repository="team/blog")]
    counts = counts_by(resolved(readings), lambda key: key.rule)
    assert counts == {"ruff/B006": ReadingCounts(repositories=2, worth=1, wrong=1)}
    assert counts["ruff/B006"].summary() == "read 2 times in 2 repositories: 1 worth, 1 wrong"
    assert rates_table("rule", counts).splitlines()[1] == (
        "    2     2      50% [9, 91]       0% [0, 66]      50% [9, 91]  ruff/B006"
    )


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("src/a.py", "source"), ("tests/test_a.py", "tests"), ("web/a.test.tsx", "tests"),
        ("a/migrations/0001_a.py", "migrations"), (".github/workflows/ci.yml", "ci"),
        ("app/Dockerfile", "ci"), ("docker-compose.yml", "ci"), ("docs/conf.py", "examples"),
        ("scripts/a.sh", "scripts"), ("pyproject.toml", "settings"),
    ],
)  # fmt: skip
def test_a_path_tells_the_kind_of_a_file(path: str, kind: str) -> None:
    assert kind_of_file(path) == kind


@pytest.mark.parametrize(
    ("worth", "true", "wrong", "level"),
    [
        (5, 5, 0, Level.ERROR),
        (12, 6, 2, Level.WARN),
        (4, 6, 0, Level.INFO),
        (12, 5, 3, Level.PREVIEW),
        (9, 0, 0, None),
    ],
)
def test_the_written_rule(worth: int, true: int, wrong: int, level: Level | None) -> None:
    assert earned(ReadingCounts(1, worth=worth, true=true, wrong=wrong)) is level


def test_an_unclear_finding_is_neither_correct_nor_wrong() -> None:
    assert earned(ReadingCounts(1, worth=8, unclear=2)) is Level.INFO


def test_a_rule_above_its_level_and_a_preview_rule_that_earned_more_are_differences() -> None:
    counts = {
        "ruff/B006": ReadingCounts(3, true=2, wrong=8),
        "ruff/F821": ReadingCounts(3, worth=10),
        "no/rule": ReadingCounts(3, wrong=10),
    }
    found = differences(counts, host.load().catalogue, {})
    assert [(one.rule, one.current, one.earned) for one in found] == [("ruff/B006", "warn", "preview")]


def test_an_override_needs_a_damage_and_a_reason(tmp_path: Path) -> None:
    assert read_overrides(tmp_path) == {}
    (tmp_path / "overrides.yml").write_text("ruff/B006: {damage: data-loss}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="give each rule a damage and a reason"):
        read_overrides(tmp_path)


def test_the_shipped_counts_are_those_of_the_judgements_of_this_repository() -> None:
    counts = counts_by(resolved(load_judgements(JUDGEMENTS)), lambda key: key.rule)
    shipped = (package_folder(RULES_PACKAGE) / FILE).read_text("utf-8")
    assert shipped == counts_file(counts), "run: wardround eval rates --update rules/wardround_rules/" + FILE
    assert reading_counts() == counts


def test_catalogue_and_judgements_agree() -> None:
    found = differences(reading_counts(), host.load().catalogue, read_overrides(JUDGEMENTS))
    assert [one for one in found if one.override is None] == []
