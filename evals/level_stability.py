"""How stable the levels of rules are that follow from readings, for rules of known rates.

For each rule the chance of every level after 10, 20 and 40 readings: by the written rule, in which the
present level counts as two readings more, and by the shares alone.

    python evals/level_stability.py
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from math import comb

from wardround.rules import earned_level
from wardround.rules.earned_level import Level, allowed_level
from wardround.rules.reading_counts import ReadingCounts

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


def outcomes(read: int, shares: tuple[float, float, float]) -> Iterator[tuple[ReadingCounts, float]]:
    """Return all counts of a number of readings with their probabilities."""
    for worth in range(read + 1):
        for true in range(read - worth + 1):
            wrong = read - worth - true
            ways = comb(read, worth) * comb(read - worth, true)
            chance = ways * shares[0] ** worth * shares[1] ** true * shares[2] ** wrong
            yield ReadingCounts(repositories=read, worth=worth, true=true, wrong=wrong), chance


def levels(read: int, shares: tuple[float, float, float], present: Level) -> Counter[Level]:
    """Return the chance of each level; the declared severity is ``warn``, and ``info`` is never raised."""
    found: Counter[Level] = Counter()
    highest = Level.INFO if present is Level.INFO else Level.WARN
    for counts, chance in outcomes(read, shares):
        found[min(allowed_level(counts, present), highest, key=lambda one: one.rank)] += chance
    return found


def table(title: str, of: Callable[[int, tuple[float, float, float], Level], Counter[Level]]) -> str:
    """Return the chances of warn, info and preview in percent, by the present level and the readings."""
    columns = [(present, read) for present in PRESENT for read in READINGS]
    head = "".join(f" {f'{present} {read}':>12}" for present, read in columns)
    lines = [f"{title:28}{head}"]
    for name, shares in RULES.items():
        chances = [of(read, shares, present) for present, read in columns]
        cells = (" ".join(f"{100 * found[level]:3.0f}" for level in PRESENT) for found in chances)
        lines.append(f"{name:28}" + "".join(f" {cell:>12}" for cell in cells))
    return "\n".join(lines)


if __name__ == "__main__":
    print(table(f"present counts as {earned_level.PRESENT}", levels))
    earned_level.PRESENT = 0
    print(table("shares alone", levels))
