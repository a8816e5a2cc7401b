"""Triage: the order of findings and which of them are folded, by severity and the estimates of the judge.

Folded findings are still counted and can be shown; no finding is dropped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from wardround.config.globs import matches_whole
from wardround.findings import Finding, Plane, Severity
from wardround.rules.file_kinds import FileKind, kind_of_file

FOLD_AFTER = 3.0
"""The sum of dismissals, weighted by age, from which a rule folds."""
CROWD = 8
"""Findings of one rule that are better fixed in one sweep."""
SHOWN_OF_CROWD = 3
EQUAL = 3
"""Findings of one rule with the same message in one test file, which have one cause: a mock, a fixture."""
_READINGS = 10
"""The readings as which an estimate counts; each dismissal of the rule is one more finding that is not worth
raising.
"""
HIGH_IMPACT = (
    "ruff/S[0-9]*", "ruff/ASYNC*", "ruff/PLE*", "ruff/E9*", "ruff/F5*", "ruff/F6*", "ruff/F7*", "ruff/F8*",
    "ruff/B00[23568]", "ruff/B01[2568]", "ruff/B02[01356]", "ruff/B03[0159]", "ruff/B909", "ruff/RUF006",
    "wardround/*",
)  # fmt: skip
"""Rules about defects that are never folded for dismissals, or because a change has many findings of them."""


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


def triage(findings: Sequence[Finding], known: Mapping[str, int], dismissed: Mapping[str, float]) -> Triage:
    """Rank findings and fold the least important; the order of ``findings`` does not matter.

    Args:
        known: rule -> its known findings in the repository.
        dismissed: rule -> the number of its dismissals, weighted by age.
    """
    ranked = sorted(findings, key=lambda finding: _rank(finding, dismissed))
    folded = {finding.fingerprint for finding in ranked if is_folded(finding, dismissed)}
    folded |= _repetitions(ranked)
    crowds = _crowds(ranked, folded, known)
    order = {finding.fingerprint: rank for rank, finding in enumerate(ranked)}
    return Triage(order, frozenset(folded), crowds)


def _repetitions(ranked: Sequence[Finding]) -> set[str]:
    """Return the findings that repeat another in the same test file, all but the first of each message."""
    equal: dict[tuple[str, str, str], list[str]] = {}
    for finding in ranked:
        if is_foldable(finding) and kind_of_file(finding.file) is FileKind.TESTS:
            equal.setdefault((finding.rule, finding.file, finding.message), []).append(finding.fingerprint)
    return {name for names in equal.values() if len(names) >= EQUAL for name in names[1:]}


def is_folded(finding: Finding, dismissed: Mapping[str, float]) -> bool:
    """Return True if the judge folds a finding, or its rule was dismissed often."""
    if finding.is_folded:
        return True
    return is_foldable(finding) and dismissed.get(finding.rule, 0.0) >= FOLD_AFTER


def is_foldable(finding: Finding) -> bool:
    """Return True if a finding may be folded: not one with high impact."""
    if finding.severity >= Severity.ERROR or finding.plane is Plane.SECURITY or finding.masked:
        return False
    return not any(is_high_impact(rule) for rule in {finding.rule, *finding.sources})


def is_high_impact(rule: str) -> bool:
    """Return True for rules that are not folded for dismissals or for their number."""
    return matches_whole(rule, HIGH_IMPACT)


def _rank(finding: Finding, dismissed: Mapping[str, float]) -> tuple[object, ...]:
    worth = 1.0 if finding.estimate is None else finding.estimate.worth
    every = _READINGS + dismissed.get(finding.rule, 0.0)
    return (-finding.severity, -round(worth * _READINGS / every, 9), finding.sort_key)


def _crowds(
    ranked: Sequence[Finding], folded: set[str], known: Mapping[str, int]
) -> tuple[RuleGroupFold, ...]:
    """Return the groups of many findings of one rule; adds all but the first of each to ``folded``."""
    by_rule: dict[str, list[Finding]] = {}
    for finding in ranked:
        if is_foldable(finding):
            by_rule.setdefault(finding.rule, []).append(finding)
    crowds = []
    for rule, members in sorted(by_rule.items()):
        if len(members) < CROWD:
            continue
        unfolded = [one for one in members if one.fingerprint not in folded]
        folded |= {one.fingerprint for one in unfolded[SHOWN_OF_CROWD:]}
        fixable = sum(one.suggested_fix is not None and one.suggested_fix.safe for one in members)
        crowds.append(RuleGroupFold(rule, len(members), max(known.get(rule, 0), len(members)), fixable))
    return tuple(crowds)
