"""The numbers by which the judge decides, in a fixed order."""

from __future__ import annotations

import math

from wardround.findings import Plane
from wardround.processors.judge.facts import FindingFacts
from wardround.processors.judge.rates import GROUPS, RateTable
from wardround.rules.file_kinds import FileKind

RATES = (*(f"{name}-{verdict}" for name in GROUPS for verdict in ("worth", "wrong")), "rule-read")
NUMBERS = (
    "severity", "sources", "confidence", "has-fix", "is-caused", "is-added-file", "lines",
    "in-file", "same-in-file", "same-in-repository", "in-change", "same-in-change", "changed-files",
    "added-lines", "function-lines", "function-unknown",
    *(f"kind-{kind}" for kind in FileKind), *(f"plane-{plane}" for plane in Plane),
)  # fmt: skip
FEATURES = (*RATES, *NUMBERS)


def row(facts: FindingFacts, rates: RateTable, leave_out: RateTable | None = None) -> list[float]:
    """Return the values in the order of ``FEATURES``.

    Args:
        leave_out: findings that do not count for the rates.
    """
    read = rates.counts("rule", facts).read - (leave_out.counts("rule", facts).read if leave_out else 0)
    return [*rates.log_odds(facts, leave_out), math.log1p(read), *_numbers(facts)]


def _numbers(facts: FindingFacts) -> list[float]:
    counts = (
        facts.lines, facts.in_file, facts.same_in_file, facts.same_in_repository,
        facts.in_change, facts.same_in_change, facts.changed_files, facts.added_lines,
        facts.function_lines or 0,
    )  # fmt: skip
    flags = (facts.has_fix, facts.is_caused, facts.is_added_file)
    return [
        float(facts.severity),
        float(facts.sources),
        facts.confidence,
        *map(float, flags),
        *map(math.log1p, counts),
        float(facts.function_lines is None),
        *(float(facts.kind is kind) for kind in FileKind),
        *(float(facts.plane is plane) for plane in Plane),
    ]
