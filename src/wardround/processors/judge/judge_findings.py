"""The judge in a review: warnings that are rarely worth raising become notes, unlikely notes are folded."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache
from typing import TYPE_CHECKING

from msgspec.structs import replace

from wardround.findings import INTRODUCED, Estimate, Finding, Plane, Severity
from wardround.processors.model import PipelineInputs, ReviewFindings

if TYPE_CHECKING:
    from wardround.processors.judge.facts import FindingFacts
    from wardround.processors.judge.model import Judge, Thresholds
    from wardround.processors.judge.rates import RateTable

FEWEST_READ = 3
"""Readings of a rule without which none of its findings is folded."""


class JudgeFindings:
    """Add the probabilities of the judge to the findings that the change introduces.

    A warning below the threshold becomes a note, and a note below its own is folded, unless it is about
    security. Unchanged are errors, secrets, rules that guard against damage that cannot be undone, rules
    whose severity the configuration sets, rules without judged findings, and findings that an analysis of the
    surrounding code confirms. Nothing is lowered where warnings or notes block a change that is not trusted:
    its own content would let it pass.
    """

    def apply(self, review: ReviewFindings, inputs: PipelineInputs) -> ReviewFindings:
        if not any(map(_is_judged, review.findings)):
            return review
        judge = inputs.judge()
        if judge is None:
            return review
        from wardround.processors.judge.facts import FactsOfFindings  # only reviews with findings to judge

        facts = FactsOfFindings(review.findings, inputs)
        estimated = cache(lambda known: _estimate(known, judge))  # thousands of findings have the same facts
        findings = (
            _judge_finding(finding, facts.of(finding), judge, inputs, estimated)
            if _is_judged(finding)
            else finding
            for finding in review.findings
        )
        return replace(review, findings=tuple(findings), judge=judge.id)


def _is_judged(finding: Finding) -> bool:
    return finding.status in INTRODUCED and finding.is_of_rule


def _estimate(facts: FindingFacts, judge: Judge) -> Estimate:
    worth, wrong = judge.probabilities(facts)
    return Estimate(worth, wrong, derivation(facts, judge.file.rates))


def _judge_finding(
    finding: Finding,
    facts: FindingFacts,
    judge: Judge,
    inputs: PipelineInputs,
    estimated: Callable[[FindingFacts], Estimate],
) -> Finding:
    estimate = estimated(facts)
    rules = {finding.rule, *finding.sources}
    is_read = all(map(judge.file.rates.is_read, rules))
    if not is_read or not _may_change(finding, rules, inputs) or judge.is_exempt(rules):
        return replace(finding, estimate=estimate)
    severity, is_unlikely = decide_severity(
        finding.severity, estimate.worth, estimate.wrong, judge.file.thresholds
    )
    is_folded = is_unlikely and is_foldable(facts, judge.file.rates)
    estimate = replace(estimate, is_lowered=severity is not finding.severity, is_folded=is_folded)
    return replace(finding, severity=severity, estimate=estimate)


def decide_severity(
    severity: Severity, worth: float, wrong: float, limits: Thresholds
) -> tuple[Severity, bool]:
    """Return the severity with which a finding is shown, and True if it is too unlikely to be shown at once.

    Args:
        worth: the probability that it is worth raising.
        wrong: the probability that it is wrong.
    """
    if severity is Severity.WARN and worth < limits.warning:
        severity = Severity.INFO
    return severity, severity is Severity.INFO and (worth < limits.note or wrong > limits.wrong)


def is_foldable(facts: FindingFacts, rates: RateTable) -> bool:
    """Return True if a finding may be folded: none about security, and only on readings of its own rule."""
    return facts.plane is not Plane.SECURITY and rates.counts("rule", facts).read >= FEWEST_READ


def _may_change(finding: Finding, rules: Collection[str], inputs: PipelineInputs) -> bool:
    """Return True if the change and its configuration let the judge lower and fold a finding."""
    blocks = inputs.fail_level in ("info", "warn") and not inputs.is_trusted
    if blocks or finding.masked or finding.is_confirmed or finding.severity >= Severity.ERROR:
        return False
    configured = inputs.config.for_file(finding.file)
    return not any(map(configured.names, rules))


def derivation(facts: FindingFacts, rates: RateTable) -> str:
    """Return the readings behind an estimate: of the rule, or of its tool where the rule was never read."""
    subject, counts = facts.rule, rates.counts("rule", facts)
    if not counts.read:
        subject = f"{facts.rule} was not read; findings of {facts.rule.partition('/')[0]}"
        counts = rates.counts("tool", facts)
    if not counts.read:
        subject, counts = f"{facts.rule} was not read; all findings", rates.all
    return f"{subject}: {counts.read} read, {counts.worth} worth raising, {counts.wrong} wrong"
