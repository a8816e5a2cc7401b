"""A rule of our own stays for readings, a recorded hit, a figure, or damage that cannot be undone."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from wardround import host
from wardround.rules.judgement_files import load_judgements
from wardround.rules.maturity import Maturity
from wardround.rules.model import Rule
from wardround.rules.reading_counts import ReadingCounts, reading_counts
from wardround.rules.yaml_loader import load_yaml
from wardround_lab.evaluation.judging.standing import override_of, read_overrides

EVALS = Path(__file__).parents[4] / "evals"
COMMITS_WITHOUT_WORTH = 2_000
"""The number of judged commits after which a preview rule without a finding worth raising leaves."""
_HIT = re.compile(r"\b([1-9]\d*|one|two|three|four|five|six|seven|eight|nine|both|right|true|found|real)\b")
"""Content of the record of a rule with a hit; records without any contain "no hit", "none" or "no
finding".
"""


class Stay(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why a preview rule without a finding worth raising stays.

    Attributes:
        figure: the figure of a recall set to which only it contributes.
        unread: the kind of files that it is about, which are rare in the judged repositories.
        since: the number of judged commits when the rule came.
    """

    figure: str = ""
    unread: str = ""
    since: int | None = None


def _own() -> list[Rule]:
    return [rule for rule in host.load().catalogue.all_rules() if rule.invalid]


def _stays() -> dict[str, Stay]:
    return msgspec.convert(load_yaml((EVALS / "preview.yml").read_text("utf-8")), dict[str, Stay])


def _judged_commits() -> int:
    return len(
        {(judgement.repository, judgement.commit) for judgement in load_judgements(EVALS / "judgements")}
    )


def overdue(
    preview: list[str], counts: dict[str, ReadingCounts], stays: dict[str, Stay], commits: int
) -> list[str]:
    """Return the preview rules that have to leave."""
    unproven = [rule for rule in preview if rule not in counts or not counts[rule].worth]
    return [rule for rule in unproven if not _may_stay(stays.get(rule, Stay()), commits)]


def _may_stay(stay: Stay, commits: int) -> bool:
    is_new = stay.since is not None and commits - stay.since < COMMITS_WITHOUT_WORTH
    return is_new or bool(stay.figure or stay.unread)


def test_no_preview_rule_is_without_a_finding_worth_raising_for_two_thousand_commits() -> None:
    preview = [rule.id for rule in _own() if rule.maturity is Maturity.PREVIEW]
    assert overdue(preview, reading_counts(), _stays(), _judged_commits()) == [], (
        "remove the rule: add it to rules/wardround_rules/removed.yml and its result to evals/precision.yml"
    )


def test_reasons_are_given_for_unproven_preview_rules_alone() -> None:
    preview = {rule.id for rule in _own() if rule.maturity is Maturity.PREVIEW}
    proven = {rule for rule, counts in reading_counts().items() if counts.worth}
    assert _stays().keys() - (preview - proven) == set()


@pytest.mark.parametrize(
    ("counts", "stay", "expected"),
    [
        (ReadingCounts(repositories=1, worth=1), None, []),
        (ReadingCounts(repositories=1, true=4), None, ["a/A1"]),
        (None, Stay(since=10), []),
        (None, Stay(since=5), ["a/A1"]),
        (None, Stay(figure="suite"), []),
        (None, Stay(unread="Kubernetes"), []),
    ],
)
def test_a_preview_rule_leaves_after_two_thousand_commits(
    counts: ReadingCounts | None, stay: Stay | None, expected: list[str]
) -> None:
    read = {} if counts is None else {"a/A1": counts}
    stays = {} if stay is None else {"a/A1": stay}
    assert overdue(["a/A1"], read, stays, COMMITS_WITHOUT_WORTH + 5) == expected


def test_every_stable_rule_has_a_reading_a_hit_or_a_damage_that_it_guards_against() -> None:
    recorded = load_yaml((EVALS / "precision.yml").read_text("utf-8"))
    overrides, counts = read_overrides(EVALS / "judgements"), reading_counts()
    unproven = [
        rule.id
        for rule in _own()
        if rule.maturity is Maturity.STABLE
        and rule.id not in counts
        and override_of(rule.id, overrides) is None
        and _results(recorded.get(rule.id, "")) is None
    ]
    assert unproven == []


def _results(record: str) -> re.Match[str] | None:
    """Return a hit in the results of a record, which follow the measured sets and a colon."""
    return _HIT.search(record.partition(":")[2])
