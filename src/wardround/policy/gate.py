"""The gate: the outcome of a review, behind its exit status."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Sequence

import msgspec

from wardround.config.schema import FailLevel
from wardround.findings import ENTIRE_CHANGE, INTRODUCED, Finding, Severity, Unreviewed


class GateOutcome(enum.StrEnum):
    """Pass, blocked, or inconclusive: something required was not reviewed."""

    PASS = "pass"  # noqa: S105  (not a password)
    BLOCKED = "blocked"
    INCONCLUSIVE = "inconclusive"


class Gate(msgspec.Struct, frozen=True):
    """The outcome, the level that blocks (``none`` blocks nothing) and the reasons, a line each."""

    outcome: GateOutcome
    fail_level: FailLevel
    reasons: tuple[str, ...]


def gate(findings: Sequence[Finding], unreviewed: Sequence[Unreviewed], fail_level: FailLevel) -> Gate:
    """Decide whether the change may pass. Pure: no clock, disk or network."""
    gaps = _unreviewed_reasons(unreviewed)
    blocking = Counter(finding.rule for finding in findings if is_blocking(finding, fail_level))
    if blocking:
        rules = [f"{rule}: {count}" for rule, count in sorted(blocking.items())]
        return Gate(GateOutcome.BLOCKED, fail_level, (*rules, *gaps))
    if any(not gap.is_declared for gap in unreviewed):
        return Gate(GateOutcome.INCONCLUSIVE, fail_level, gaps)
    return Gate(GateOutcome.PASS, fail_level, gaps)


def is_blocking(finding: Finding, fail_level: FailLevel) -> bool:
    """Return True if a finding makes the outcome of a gate with this level ``blocked``."""
    if fail_level == "none" or finding.status not in INTRODUCED:
        return False
    return finding.severity >= Severity.from_label(fail_level)


def _unreviewed_reasons(unreviewed: Sequence[Unreviewed]) -> tuple[str, ...]:
    """Return a line for each reason why a tool did not review files, then those for the entire change."""
    files = Counter((gap.tool, gap.reason) for gap in unreviewed if gap.file != ENTIRE_CHANGE)
    of_files = [
        f"{tool} did not review {count} file{'s' if count > 1 else ''}: {reason}"
        for (tool, reason), count in sorted(files.items())
    ]
    of_change = [f"{gap.tool}: {gap.reason}" for gap in sorted(unreviewed) if gap.file == ENTIRE_CHANGE]
    return (*of_files, *of_change)
