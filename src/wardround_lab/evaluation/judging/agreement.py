"""How far readers agree, and the verdict of each finding."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from wardround.rules.judgements import FindingKey, Judgement, Verdict

Pair = tuple[Judgement, Judgement]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of first and second readings.

    Attributes:
        pairs: the number of findings that two readers have judged.
        agreed: those with the same verdict.
        kappa: over all verdicts; None if it is not defined.
        by_verdict: the kappa of each verdict against all others.
    """

    pairs: int
    agreed: int
    kappa: float | None
    by_verdict: Mapping[Verdict, float | None]


def group_by_finding(judgements: Iterable[Judgement]) -> dict[FindingKey, list[Judgement]]:
    """Return the readings of each finding in the order of time and reader."""
    found: dict[FindingKey, list[Judgement]] = defaultdict(list)
    for reading in sorted(
        judgements, key=lambda judgement: (judgement.key, judgement.date, judgement.reader)
    ):
        found[reading.key].append(reading)
    return dict(found)


def agreement(judgements: Iterable[Judgement]) -> Agreement:
    """Compare the first two readings of each finding that has two."""
    pairs = [(some[0], some[1]) for some in group_by_finding(judgements).values() if len(some) > 1]
    verdicts = [(first.verdict, second.verdict) for first, second in pairs]
    return Agreement(
        pairs=len(pairs),
        agreed=sum(first == second for first, second in verdicts),
        kappa=kappa(verdicts),
        by_verdict={
            verdict: kappa([(str(first == verdict), str(second == verdict)) for first, second in verdicts])
            for verdict in Verdict
        },
    )


def kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Return the agreement beyond chance, 1 for complete agreement; None if chance alone explains it.

    Readers are interchangeable, so the share of a label is that of both readings together.

    Source: W. A. Scott, "Reliability of content analysis: the case of nominal scale coding", 1955, which is
    Cohen's kappa with each pair counted in both orders.
    """
    if not pairs:
        return None
    labels = Counter(label for pair in pairs for label in pair)
    observed = sum(first == second for first, second in pairs) / len(pairs)
    expected = sum((count / (2 * len(pairs))) ** 2 for count in labels.values())
    return None if expected == 1 else (observed - expected) / (1 - expected)


def disagreements(judgements: Iterable[Judgement]) -> list[FindingKey]:
    """Return the findings that need another reading: no verdict has a majority."""
    return [key for key, some in group_by_finding(judgements).items() if majority(some) is None]


def majority(readings: Sequence[Judgement]) -> Verdict | None:
    """Return the verdict of more than half of the readings; None if there is none."""
    verdict, count = Counter(reading.verdict for reading in readings).most_common(1)[0]
    return verdict if 2 * count > len(readings) else None


def majority_verdicts(judgements: Iterable[Judgement]) -> dict[FindingKey, Verdict]:
    """Return the verdict of each finding: that of the majority, and ``unclear`` without one."""
    return {key: majority(some) or Verdict.UNCLEAR for key, some in group_by_finding(judgements).items()}
