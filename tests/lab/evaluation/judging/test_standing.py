"""The catalogue and the readings of its findings."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from pathlib import Path

import pytest

from wardround import host
from wardround.errors import ConfigError
from wardround.planes.measured_precision import load_precision
from wardround.rules.earned_level import Level, consequence
from wardround.rules.file_kinds import FileKind
from wardround.rules.judgement_files import load_judgements, read_no_longer_reported
from wardround.rules.judgements import FindingKey, Judgement, Verdict, judgement_of, key_id, reasons_for
from wardround.rules.maturity import Damage
from wardround.rules.model import RULES_PACKAGE, package_folder
from wardround.rules.off_in import kinds_off
from wardround.rules.reading_counts import FILE, ReadingCounts, reading_counts
from wardround_lab.evaluation.judging.agreement import majority_verdicts
from wardround_lab.evaluation.judging.rates import split_verdicts
from wardround_lab.evaluation.judging.rates_report import counts_file, plan_text
from wardround_lab.evaluation.judging.standing import (
    CatalogueChanges,
    KindsOff,
    Override,
    kinds_after,
    override_of,
    plan,
    read_overrides,
    shipped_counts,
)

DAY = datetime.date(2026, 5, 4)
JUDGEMENTS = Path(__file__).parents[4] / "evals" / "judgements"


def readings(rule: str, verdict: str, number: int, folder: str = "src") -> list[Judgement]:
    """Readings of findings in five repositories."""
    return [
        judgement_of(
            FindingKey(f"team/r{line % 5}", "a" * 40, f"{folder}/a.py", line, rule),
            verdict, reasons_for(Verdict(verdict))[0], "ana", DAY,
        )
        for line in range(1, number + 1)
    ]  # fmt: skip


def planned(
    judgements: Iterable[Judgement], overrides: dict[str, Override] | None = None, off: KindsOff | None = None
) -> CatalogueChanges:
    return plan(majority_verdicts(judgements), host.load().catalogue, overrides or {}, off or {})


def test_a_rule_above_its_level_and_a_preview_rule_that_earned_more_are_changes() -> None:
    found = planned([*readings("ruff/F632", "wrong", 10), *readings("python/PY062", "worth", 20)])
    changes = [(level.rule, level.present, level.following) for level in found.levels]
    assert changes == [("python/PY062", "preview", "warn"), ("ruff/F632", "warn", "preview")]
    assert found.due == found.levels
    assert "ruff/F632 is at warn, and its readings allow preview: read 10 times" in plan_text(found)


def test_unknown_rules_and_rules_that_are_where_they_belong_are_not_changes() -> None:
    found = planned([*readings("no/rule", "wrong", 10), *readings("ruff/F821", "worth", 10)])
    assert not found
    assert plan_text(found) == "catalogue and readings agree\n"


def test_an_override_keeps_a_level_and_is_listed_with_its_reason() -> None:
    override = Override(Damage.DATA_LOSS, "shared between requests")
    found = planned(readings("ruff/F632", "wrong", 10), {"ruff/F6*": override})
    assert (not found, found.levels[0].override) == (True, override)
    assert "kept for data-loss: shared between requests" in plan_text(found)


def test_a_rule_that_is_wrong_in_one_kind_of_file_is_off_there_and_stays_on_elsewhere() -> None:
    judgements = [*readings("ruff/F632", "worth", 20), *readings("ruff/F632", "wrong", 10, "tests")]
    found = planned(judgements)
    assert [(kind.rule, kind.kind, kind.turns_off) for kind in found.kinds] == [
        ("ruff/F632", FileKind.TESTS, True)
    ]
    assert found.levels == ()
    assert "ruff/F632 is on in tests, and turns off: read 10 times" in plan_text(found)
    after = kinds_after({}, found.kinds)
    assert after == {"ruff/F632": {FileKind.TESTS}}
    assert not planned(judgements, off=after), "a second time changes nothing"
    assert shipped_counts(majority_verdicts(judgements), after)["ruff/F632"] == ReadingCounts(5, worth=20)


def test_a_rule_that_is_wrong_in_the_only_kind_of_file_it_reports_goes_to_preview() -> None:
    found = planned(readings("ruff/F632", "wrong", 10, "tests"))
    assert (found.kinds, [level.following for level in found.levels]) == ((), [Level.PREVIEW])


def test_a_rule_turns_on_again_where_later_readings_are_right() -> None:
    judgements = [*readings("ruff/F632", "worth", 20), *readings("ruff/F632", "worth", 20, "tests")]
    off = {"ruff/F632": frozenset({FileKind.TESTS})}
    found = planned(judgements, off=off)
    assert [(kind.kind, kind.turns_off) for kind in found.kinds] == [(FileKind.TESTS, False)]
    assert kinds_after(off, found.kinds) == {}


def test_an_override_needs_a_damage_and_a_reason(tmp_path: Path) -> None:
    assert read_overrides(tmp_path) == {}
    (tmp_path / "overrides.yml").write_text("ruff/F632: {damage: data-loss}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="give each rule a damage and a reason"):
        read_overrides(tmp_path)


def test_each_override_of_this_repository_matches_a_rule() -> None:
    overrides, rules = read_overrides(JUDGEMENTS), host.load().catalogue.all_rules()
    unused = [
        key for key, item in overrides.items() if not any(override_of(rule.id, {key: item}) for rule in rules)
    ]
    assert unused == []


def test_the_shipped_counts_are_those_of_the_judgements_of_this_repository() -> None:
    verdicts, removed = split_verdicts(
        majority_verdicts(load_judgements(JUDGEMENTS)), read_no_longer_reported(JUDGEMENTS)
    )
    counts = shipped_counts(verdicts, kinds_off(), removed)
    shipped = (package_folder(RULES_PACKAGE) / FILE).read_text("utf-8")
    assert shipped == counts_file(counts), "run: wardround eval rates --update rules/wardround_rules/" + FILE
    assert reading_counts() == counts


def test_each_finding_that_is_not_a_longer_reported_was_judged() -> None:
    judged = {key_id(judgement.key) for judgement in load_judgements(JUDGEMENTS)}
    assert read_no_longer_reported(JUDGEMENTS) <= judged, "run: python evals/judging_pool.py again"


def test_counts_keep_the_number_of_findings_that_are_no_longer_reported() -> None:
    verdicts, removed = (
        majority_verdicts(readings("ruff/F632", "worth", 4)),
        majority_verdicts(readings("ruff/B007", "wrong", 2)),
    )
    counts = shipped_counts(verdicts, {}, removed)
    assert counts["ruff/F632"] == ReadingCounts(repositories=4, worth=4)
    assert counts["ruff/B007"] == ReadingCounts(repositories=0, no_longer_reported=2)
    assert counts["ruff/B007"].summary() == "2 read, and not reported any longer"
    assert consequence(host.load().catalogue.rule("ruff/B007"), counts["ruff/B007"]) == ""


def test_catalogue_and_judgements_agree() -> None:
    verdicts, _ = split_verdicts(
        majority_verdicts(load_judgements(JUDGEMENTS)), read_no_longer_reported(JUDGEMENTS)
    )
    found = plan(verdicts, host.load().catalogue, read_overrides(JUDGEMENTS), kinds_off())
    assert not found, "run: wardround eval rates --write\n" + plan_text(found)


def test_no_rule_has_counts_and_a_measured_precision_of_its_own() -> None:
    assert reading_counts().keys() & load_precision().keys() == set()
