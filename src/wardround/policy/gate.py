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
    introduced = [f for f in findings if f.status in INTRODUCED]
    level = None if fail_level == "none" else Severity.named(fail_level)
    blocking = [f for f in introduced if level is not None and f.severity >= level]
    missing = Counter((u.tool, u.reason) for u in unreviewed if u.file != ENTIRE_CHANGE)
    unreviewed_reasons = [
        f"{tool} did not review {files} file{'s' if files > 1 else ''}: {reason}"
        for (tool, reason), files in sorted(missing.items())
    ]
    unreviewed_reasons += [f"{u.tool}: {u.reason}" for u in sorted(unreviewed) if u.file == ENTIRE_CHANGE]
    if blocking:
        counts = Counter(f.rule for f in blocking)
        reasons = [f"{rule}: {count}" for rule, count in sorted(counts.items())]
        return Gate(GateOutcome.BLOCKED, fail_level, (*reasons, *unreviewed_reasons))
    if any(not one.is_declared for one in unreviewed):
        return Gate(GateOutcome.INCONCLUSIVE, fail_level, tuple(unreviewed_reasons))
    return Gate(GateOutcome.PASS, fail_level, tuple(unreviewed_reasons))
