"""Judged findings as rows of numbers: rates of verdicts without those of the same repository, and facts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from wardround.processors.judge.features import row
from wardround.processors.judge.rates import GROUPS, RateTable, VerdictCounts
from wardround.rules.judgements import Verdict
from wardround_lab.evaluation.judging.facts_table import ReadFinding

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


def flags(findings: Sequence[ReadFinding], verdict: Verdict) -> Flags:
    """Return which findings have a verdict, shape (findings,)."""
    return np.array([finding.verdict is verdict for finding in findings])


def rate_table(findings: Iterable[ReadFinding]) -> RateTable:
    """Count the verdicts of all findings and of each group."""
    groups: dict[str, dict[str, Counter[str]]] = {name: defaultdict(Counter) for name in GROUPS}
    every: Counter[str] = Counter()
    for finding in findings:
        every[finding.verdict] += 1
        for name, group in GROUPS.items():
            groups[name][group.of(finding.facts)][finding.verdict] += 1
    return RateTable(
        _count_verdicts(every),
        {
            name: {key: _count_verdicts(some) for key, some in sorted(found.items())}
            for name, found in groups.items()
        },
    )


def _count_verdicts(some: Counter[str]) -> VerdictCounts:
    return VerdictCounts(some.total(), some[Verdict.WORTH], some[Verdict.WRONG])


def training_rows(findings: Sequence[ReadFinding]) -> Floats:
    """Return the features of findings, shape (findings, features): rates are of the other repositories."""
    table, own = rate_table(findings), rates_by_repository(findings)
    return np.array([row(finding.facts, table, own[finding.repository]) for finding in findings])


def rates_by_repository(findings: Iterable[ReadFinding]) -> dict[str, RateTable]:
    """Return the counts of each repository."""
    found: dict[str, list[ReadFinding]] = defaultdict(list)
    for finding in findings:
        found[finding.repository].append(finding)
    return {name: rate_table(some) for name, some in found.items()}


def unseen_rows(findings: Sequence[ReadFinding], table: RateTable) -> Floats:
    """Return the features of findings whose repositories the rates do not include."""
    return np.array([row(finding.facts, table) for finding in findings])
