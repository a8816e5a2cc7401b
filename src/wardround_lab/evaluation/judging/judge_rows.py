"""The examples of the judge as numbers: rates of verdicts without the repository of each, and facts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wardround.processors.judge.features import row
from wardround.processors.judge.rates import GROUPS, RateTable, VerdictCounts
from wardround.rules.judgements import FindingKey, Verdict
from wardround_lab.evaluation.judging.examples import JudgedExample, ReviewedExamples
from wardround_lab.evaluation.judging.rates import rule_of

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ReadExample:
    """A finding that the present version reports, with the verdict of its readers.

    Attributes:
        day: of the commit, in days since 1970.
    """

    example: JudgedExample
    verdict: Verdict
    day: int

    @property
    def repository(self) -> str:
        return self.example.key.repository


def read_examples(
    reviewed: Iterable[ReviewedExamples], verdicts: Mapping[FindingKey, Verdict]
) -> list[ReadExample]:
    """Return the judged findings of reviewed commits, without unclear ones."""
    by_place = {_place(key): one for key, one in verdicts.items() if one is not Verdict.UNCLEAR}
    found = {
        place: ReadExample(example, by_place[place], one.day)
        for one in reviewed
        for example in one.examples
        if (place := _place(example.key)) in by_place
    }
    return [found[place] for place in sorted(found)]


def _place(key: FindingKey) -> tuple[str, str, str, int, str]:
    return key.repository, key.commit, key.path, key.line, rule_of(key)


def rate_table(examples: Iterable[ReadExample]) -> RateTable:
    """Count the verdicts of all findings and of each group."""
    groups: dict[str, dict[str, Counter[str]]] = {name: defaultdict(Counter) for name in GROUPS}
    every: Counter[str] = Counter()
    for one in examples:
        every[one.verdict] += 1
        for name, group in GROUPS.items():
            groups[name][group.of(one.example.facts)][one.verdict] += 1
    return RateTable(
        _counts(every),
        {name: {key: _counts(some) for key, some in sorted(found.items())} for name, found in groups.items()},
    )


def _counts(some: Counter[str]) -> VerdictCounts:
    return VerdictCounts(some.total(), some[Verdict.WORTH], some[Verdict.WRONG])


def training_rows(examples: Sequence[ReadExample]) -> Floats:
    """Return the features of findings, shape (rows, features): rates are of the other repositories."""
    table, own = rate_table(examples), by_repository(examples)
    return np.array([row(one.example.facts, table, own[one.repository]) for one in examples])


def by_repository(examples: Iterable[ReadExample]) -> dict[str, RateTable]:
    """Return the counts of each repository alone."""
    found: dict[str, list[ReadExample]] = defaultdict(list)
    for one in examples:
        found[one.repository].append(one)
    return {name: rate_table(some) for name, some in found.items()}


def unseen_rows(examples: Sequence[ReadExample], table: RateTable) -> Floats:
    """Return the features of findings whose repositories the rates do not include."""
    return np.array([row(one.example.facts, table) for one in examples])
