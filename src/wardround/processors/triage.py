"""Triage: the order of findings and which of them are folded, by severity and the estimates of the judge.

Folded findings are still counted and can be shown; no finding is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from wardround.findings import Finding, Plane, Severity
from wardround.rules.file_kinds import FileKind, kind_of_file

FOLD_AFTER = 3.0
"""The sum of dismissals, weighted by age, from which a rule folds."""
CROWD = 8
"""Minimum number of findings of one rule that are better fixed together."""
SHOWN_OF_CROWD = 3
EQUAL = 3
"""Minimum number of findings of one rule with the same message in one test file, which have one cause: a
mock, a fixture.
"""
_READINGS = 10
"""The readings as which an estimate counts; each dismissal of the rule is one more finding that is not worth
raising.
"""

IsHighImpact = Callable[[str], bool]
"""True for a rule, by its id, whose findings are never folded for their number or for dismissals."""


class RuleGroupFold(msgspec.Struct, frozen=True):
    """A group of many findings of one rule, which the report shows in one line.

    Attributes:
        shown: the number of findings of the change.
        known: the known findings of the repository.
        fixable: number of findings of the change that have a safe fix.
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


def triage(
    findings: Sequence[Finding],
    known: Mapping[str, int],
    dismissed: Mapping[str, float],
    is_high_impact: IsHighImpact,
) -> Triage:
    """Rank findings and fold the least important; the order of ``findings`` does not matter.

    Args:
        known: rule -> its known findings in the repository.
        dismissed: rule -> the number of its dismissals, weighted by age.
    """
    ranked = sorted(findings, key=lambda finding: _rank(finding, dismissed))
    foldable = [finding for finding in ranked if _is_foldable(finding, is_high_impact)]
    folded = {finding.fingerprint for finding in ranked if finding.is_folded}
    dismissed_often = (finding for finding in foldable if dismissed.get(finding.rule, 0.0) >= FOLD_AFTER)
    folded |= {finding.fingerprint for finding in dismissed_often}
    folded |= _repetitions(foldable)
    crowds = _crowds(foldable, folded, known)
    order = {finding.fingerprint: rank for rank, finding in enumerate(ranked)}
    return Triage(order, frozenset(folded), crowds)


def _repetitions(foldable: Sequence[Finding]) -> set[str]:
    """Return the findings that repeat another in the same test file, all but the first of each message."""
    equal: dict[tuple[str, str, str], list[str]] = {}
    for finding in foldable:
        if kind_of_file(finding.file) is FileKind.TESTS:
            equal.setdefault((finding.rule, finding.file, finding.message), []).append(finding.fingerprint)
    return {name for names in equal.values() if len(names) >= EQUAL for name in names[1:]}


def _is_foldable(finding: Finding, is_high_impact: IsHighImpact) -> bool:
    """Return True if a finding may be folded: not one with high impact."""
    if finding.severity >= Severity.ERROR or finding.plane is Plane.SECURITY or finding.masked:
        return False
    return not any(is_high_impact(rule) for rule in {finding.rule, *finding.sources})


def _rank(finding: Finding, dismissed: Mapping[str, float]) -> tuple[object, ...]:
    worth = 1.0 if finding.estimate is None else finding.estimate.worth
    every = _READINGS + dismissed.get(finding.rule, 0.0)
    return (-finding.severity, -round(worth * _READINGS / every, 9), finding.sort_key)


def _crowds(
    foldable: Sequence[Finding], folded: set[str], known: Mapping[str, int]
) -> tuple[RuleGroupFold, ...]:
    """Return the groups of many findings of one rule; adds all but the first of each to ``folded``."""
    by_rule: dict[str, list[Finding]] = {}
    for finding in foldable:
        by_rule.setdefault(finding.rule, []).append(finding)
    crowds = []
    for rule, members in sorted(by_rule.items()):
        if len(members) < CROWD:
            continue
        unfolded = [member for member in members if member.fingerprint not in folded]
        folded |= {finding.fingerprint for finding in unfolded[SHOWN_OF_CROWD:]}
        fixable = sum(member.suggested_fix is not None and member.suggested_fix.safe for member in members)
        crowds.append(RuleGroupFold(rule, len(members), max(known.get(rule, 0), len(members)), fixable))
    return tuple(crowds)
