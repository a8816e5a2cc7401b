"""A change that accepts its own findings, in the baseline or by dismissals, is judged as if it had not."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.security.verdicts.scene import Judged, Side, judge, judge_neutral, require
from tests.security.verdicts.test_silenced import HOUSE, tree
from wardround.findings import Finding
from wardround.policy.verdict import VerdictName
from wardround.processors import baseline_file, dismissals_file
from wardround.processors.baseline_file import Baseline, BaselineEntry
from wardround.processors.dismissals_file import Dismissal, Dismissals

BASELINE, DISMISSALS = ".wardround-baseline.json", ".wardround-dismissals.json"
DAY = datetime.date(2026, 11, 1)
EVIL: Mapping[str, Any] = tree("eval")
OTHER = "quality/accepted.json"
SETTINGS = f'policy = "p.yml"\nbaseline = "{OTHER}"\n'


def baseline(findings: tuple[Finding, ...]) -> bytes:
    return baseline_file.dump(
        Baseline(tuple(BaselineEntry(f.file, f.rule, f.fingerprint, "") for f in findings))
    )


def dismissals(findings: tuple[Finding, ...]) -> bytes:
    entries = (Dismissal(f.file, f.rule, f.fingerprint, DAY, "it is intended") for f in findings)
    return dismissals_file.dump(Dismissals(tuple(entries)))


def neutral_findings(place: Path) -> tuple[Finding, ...]:
    neutral = judge_neutral(place / "found", Side(EVIL, HOUSE, config_from="head"))
    assert neutral.name is not VerdictName.AUTO_MERGE
    assert neutral.review.findings
    return tuple(neutral.review.findings)


def levels(judged: Judged) -> Mapping[str, int]:
    """Return the severity of the signal of each plane, which policies can ask for."""
    return {signal.plane: signal.level for signal in judged.review.conclusion.signals}


@pytest.mark.parametrize("config_from", ["base", "head"])
@pytest.mark.parametrize("way", ["baseline", "dismissals", "both", "other baseline"])
def test_added_entries_make_no_verdict_milder(tmp_path: Path, way: str, config_from: str) -> None:
    found = neutral_findings(tmp_path)
    ways: Mapping[str, Mapping[str, Any]] = {
        "baseline": {BASELINE: baseline(found)},
        "dismissals": {DISMISSALS: dismissals(found)},
        "both": {BASELINE: baseline(found), DISMISSALS: dismissals(found)},
        "other baseline": {".wardround.toml": SETTINGS, OTHER: baseline(found)},
    }

    attacked = judge(tmp_path / "attack", Side({**EVIL, **ways[way]}, HOUSE, config_from=config_from))

    neutral = judge_neutral(tmp_path, Side(EVIL, HOUSE, config_from=config_from))
    require("not-milder", attacked, neutral)
    assert all(level >= levels(neutral)[plane] for plane, level in levels(attacked).items())


def test_a_baseline_that_was_merged_as_data_accepts_nothing_once_it_is_named(tmp_path: Path) -> None:
    base = {**HOUSE, OTHER: baseline(neutral_findings(tmp_path))}

    attacked = judge(
        tmp_path / "attack", Side({**EVIL, ".wardround.toml": SETTINGS}, base, config_from="head")
    )

    require("not-milder", attacked, judge_neutral(tmp_path, Side(EVIL, HOUSE, config_from="head")))


def test_an_entry_that_is_repeated_accepts_one_finding(tmp_path: Path) -> None:
    """An entry of a file that does not exist accepts the same code elsewhere, once."""
    removed = "shop/gone.py"
    evil = EVIL["shop/start.py"]
    review = judge(tmp_path / "found", Side(EVIL, HOUSE, config_from="head")).review
    entries = tuple(
        BaselineEntry(removed, f.rule, f.fingerprint[::-1], review.contents[f.fingerprint])
        for f in review.findings
    )
    base = {**HOUSE, BASELINE: baseline_file.dump(Baseline(entries))}
    twice = {**EVIL, "shop/stop.py": evil}
    neutral = judge(tmp_path / "neutral", Side(twice, base, config_from="head"))

    repeated = {**twice, BASELINE: baseline_file.dump(Baseline(entries * 2))}
    attacked = judge(tmp_path / "attack", Side(repeated, base, config_from="head"))

    assert neutral.tier == 3
    require("not-milder", attacked, neutral)
    assert levels(attacked) == levels(neutral)
