"""Measure the stability of rule levels that follow from readings, for rules of known rates.

For each rule the chance of every level after 10, 20 and 40 readings: by the documented rule, in which the
present level counts as two additional readings, and by the shares alone.

    python evals/level_stability.py
    python evals/level_stability.py --judgements evals/judgements

With judgements, the written rule is applied to nine tenths of the repositories, from the level that each rule
was declared with, and the findings of the last tenth are counted at the levels that follow, ten times: by the
present levels, and by those that follow.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from math import comb
from pathlib import Path

from wardround import host
from wardround.rules import earned_level
from wardround.rules.earned_level import Level, allowed_level, following_level, present_level
from wardround.rules.judgement_files import load_judgements, read_no_longer_reported
from wardround.rules.judgements import FindingKey, Verdict
from wardround.rules.reading_counts import ReadingCounts
from wardround_lab.evaluation.judging.agreement import majority_verdicts
from wardround_lab.evaluation.judging.rates import counts_by, rule_of, split_verdicts

RULES = {
    "right, often worth raising": (0.70, 0.27, 0.03),
    "right, seldom worth raising": (0.20, 0.77, 0.03),
    "wrong in one of ten": (0.60, 0.30, 0.10),
    "wrong in one of five": (0.40, 0.40, 0.20),
    "wrong in three of ten": (0.30, 0.40, 0.30),
}
"""Rule -> its shares of worth, true and wrong."""
PRESENT = (Level.WARN, Level.INFO, Level.PREVIEW)
READINGS = (10, 20, 40)
_FOLDS = 10
_SEED = 7


def outcomes(read: int, shares: tuple[float, float, float]) -> Iterator[tuple[ReadingCounts, float]]:
    """Return all counts of a number of readings with their probabilities."""
    for worth in range(read + 1):
        for true in range(read - worth + 1):
            wrong = read - worth - true
            ways = comb(read, worth) * comb(read - worth, true)
            chance = ways * shares[0] ** worth * shares[1] ** true * shares[2] ** wrong
            yield ReadingCounts(repositories=read, worth=worth, true=true, wrong=wrong), chance


def levels(read: int, shares: tuple[float, float, float], present: Level) -> dict[Level, float]:
    """Return the chance of each level; the declared severity is ``warn``, and ``info`` is never raised."""
    found: dict[Level, float] = defaultdict(float)
    highest = Level.INFO if present is Level.INFO else Level.WARN
    for counts, chance in outcomes(read, shares):
        found[min(allowed_level(counts, present), highest, key=lambda item: item.rank)] += chance
    return found


def table(title: str, of: Callable[[int, tuple[float, float, float], Level], dict[Level, float]]) -> str:
    """Return the chances of warn, info and preview in percent, by the present level and the readings."""
    columns = [(present, read) for present in PRESENT for read in READINGS]
    head = "".join(f" {f'{present} {read}':>12}" for present, read in columns)
    lines = [f"{title:28}{head}"]
    for name, shares in RULES.items():
        chances = [of(read, shares, present) for present, read in columns]
        cells = (" ".join(f"{100 * found[level]:3.0f}" for level in PRESENT) for found in chances)
        lines.append(f"{name:28}" + "".join(f" {cell:>12}" for cell in cells))
    return "\n".join(lines)


def held_out(judgements: Path) -> str:
    """Return the findings by level, of repositories that the levels do not rest on."""
    verdicts, _ = split_verdicts(
        majority_verdicts(load_judgements(judgements)), read_no_longer_reported(judgements)
    )
    names = sorted({key.repository for key in verdicts})
    random.Random(_SEED).shuffle(names)
    tallies: dict[str, Counter[Verdict]] = {}
    for fold in range(_FOLDS):
        out = frozenset(names[fold::_FOLDS])
        for title, found in _levels_without(verdicts, out):
            for level, verdict in found:
                tallies.setdefault(f"{title:9} {level}", Counter())[verdict] += 1
    return "\n".join(_share_line(name, counts) for name, counts in sorted(tallies.items()))


def _levels_without(
    verdicts: dict[FindingKey, Verdict], out: frozenset[str]
) -> Iterator[tuple[str, list[tuple[Level, Verdict]]]]:
    """Yield the levels of the findings of some repositories, now and by the readings of all others."""
    catalogue = host.load().catalogue
    counts = counts_by({key: item for key, item in verdicts.items() if key.repository not in out}, rule_of)
    unseen = [(catalogue.rule(rule_of(key)), item) for key, item in verdicts.items() if key.repository in out]
    shown = [(rule, item) for rule, item in unseen if present_level(rule) is not Level.PREVIEW]
    yield "present", [(present_level(rule), item) for rule, item in shown]
    nothing = ReadingCounts(repositories=0)
    yield "following", [(following_level(rule, counts.get(rule.id, nothing)), item) for rule, item in shown]


def _share_line(name: str, counts: Counter[Verdict]) -> str:
    parts = " ".join(f"{verdict} {counts[verdict] / counts.total():.3f}" for verdict in Verdict)
    return f"{name:20} {counts.total():6}  {parts}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--judgements", type=Path, help="apply the rule to these readings")
    given = parser.parse_args().judgements
    if given is not None:
        print(held_out(given))
    else:
        print(table(f"present counts as {earned_level.PRESENT}", levels))
        earned_level.PRESENT = 0
        print(table("shares alone", levels))
