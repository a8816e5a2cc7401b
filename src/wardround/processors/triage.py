"""Triage: the order of findings and which of them are folded, by rates of rules and counters.

The rate at which people acted on the findings of a rule is compared with that at which they changed a plain
line nearby (the placebo). The rates are measured over the histories of repositories and shipped. Folded
findings are still counted and can be shown; no finding is dropped.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec

from wardround.config.globs import matches_whole
from wardround.findings import Finding, Plane, Severity
from wardround.processors.action_rates import COUNTERS, SMOOTHING, ActionRate, ActionRates, log_odds
from wardround.processors.counters import Counters

WORTH = 2.0
"""A rule is shown if its fix rate is at least this many times its placebo rate."""
FOLD_AFTER = 3.0
"""The sum of dismissals, weighted by age, from which a rule folds."""
CROWD = 8
"""Findings of one rule that are better fixed in one sweep: the measured rates count them as one."""
SHOWN_OF_CROWD = 3
HIGH_IMPACT = (
    "ruff/S[0-9]*", "ruff/ASYNC*", "ruff/PLE*", "ruff/E9*", "ruff/F5*", "ruff/F6*", "ruff/F7*", "ruff/F8*",
    "ruff/B00[23568]", "ruff/B01[2568]", "ruff/B02[01356]", "ruff/B03[0159]", "ruff/B909", "ruff/RUF006",
    "wardround/*",
)  # fmt: skip
"""Rules about defects that are never folded, however few people act on them."""


class ScoredFinding(msgspec.Struct, frozen=True):
    """A finding that may be shown, with the numbers that rank it.

    Attributes:
        rate: of its rule; None if that was not measured.
        dismissed: the number of dismissals of the rule, weighted by age.
    """

    finding: Finding
    counters: Counters
    rate: ActionRate | None = None
    dismissed: float = 0.0


class RuleGroupFold(msgspec.Struct, frozen=True):
    """Many findings of one rule at once.

    Attributes:
        shown: the number of findings of the change.
        known: the known findings of the repository.
        fixable: of the findings of the change, those with a safe fix.
    """

    rule: str
    shown: int
    known: int
    fixable: int


class Triage(msgspec.Struct, frozen=True):
    """The order of findings, and which are folded.

    Attributes:
        order: fingerprint -> rank; 0 is the first.
        folded: fingerprints of findings that are counted and not shown.
    """

    order: Mapping[str, int]
    folded: frozenset[str] = frozenset()
    crowds: tuple[RuleGroupFold, ...] = ()


def triage(scored: Sequence[ScoredFinding], ranking: ActionRates) -> Triage:
    """Rank findings and fold the least important; the order of ``scored`` does not matter."""
    scores = {item.finding.fingerprint: score(item, ranking) for item in scored}
    ranked = sorted(scored, key=lambda item: _rank(item.finding, scores))
    folded = {
        item.finding.fingerprint
        for item in scored
        if is_foldable(item.finding) and is_folded(item, scores[item.finding.fingerprint], ranking)
    }
    crowds = _crowds(ranked, folded)
    order = {item.finding.fingerprint: rank for rank, item in enumerate(ranked)}
    return Triage(order, frozenset(folded), crowds)


def score(item: ScoredFinding, ranking: ActionRates) -> float:
    """The log-odds that people act on a finding.

    Every dismissal of its rule counts as one more finding on which nobody acted.
    """
    prior = None if item.rate is None else log_odds(_after_dismissals(item.rate.fix, item.dismissed))
    row = item.counters.row(prior, ranking.means)
    weighted = sum(ranking.weights[name] * value for name, value in zip(COUNTERS, row, strict=True))
    lowered = 0.0
    if item.rate is None and item.dismissed:
        lowered = ranking.weights["prior"] * math.log(1 + item.dismissed / SMOOTHING)
    return ranking.bias + weighted - lowered


def is_foldable(finding: Finding) -> bool:
    """Return True if a finding may be folded: not one with high impact."""
    if finding.severity >= Severity.ERROR or finding.plane is Plane.SECURITY or finding.masked:
        return False
    return not any(is_high_impact(rule) for rule in {finding.rule, *finding.sources})


def is_high_impact(rule: str) -> bool:
    """Return True for rules that are never folded."""
    return matches_whole(rule, HIGH_IMPACT)


def is_folded(item: ScoredFinding, value: float, ranking: ActionRates) -> bool:
    """Return True if few people act on the rule, and the counters of the finding do not outweigh that."""
    if item.dismissed >= FOLD_AFTER:
        return True
    return item.rate is not None and not is_worth(item.rate) and value < ranking.threshold


def is_worth(rate: ActionRate) -> bool:
    """Return True if people act on the rule more often than on a plain line."""
    return rate.fix >= WORTH * rate.placebo


def _rank(finding: Finding, scores: Mapping[str, float]) -> tuple[int, float, tuple[object, ...]]:
    return (-finding.severity, -round(scores[finding.fingerprint], 9), finding.sort_key)


def _crowds(ranked: Sequence[ScoredFinding], folded: set[str]) -> tuple[RuleGroupFold, ...]:
    """Return the groups of many findings of one rule; adds all but the first of each to ``folded``."""
    by_rule: dict[str, list[ScoredFinding]] = {}
    for item in ranked:
        if is_foldable(item.finding):
            by_rule.setdefault(item.finding.rule, []).append(item)
    crowds = []
    for rule, members in sorted(by_rule.items()):
        if len(members) < CROWD:
            continue
        unfolded = [item for item in members if item.finding.fingerprint not in folded]
        folded |= {item.finding.fingerprint for item in unfolded[SHOWN_OF_CROWD:]}
        known = max(item.counters.same_in_repository for item in members)
        fixes = [item.finding.suggested_fix for item in members]
        fixable = sum(1 for fix in fixes if fix is not None and fix.safe)
        crowds.append(RuleGroupFold(rule, len(members), max(known, len(members)), fixable))
    return tuple(crowds)


def _after_dismissals(fix: float, dismissed: float) -> float:
    return fix * SMOOTHING / (SMOOTHING + dismissed)
