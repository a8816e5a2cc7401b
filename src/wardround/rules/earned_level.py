"""The level of a rule that follows from readings of its findings: the written rule.

=========  ==============================================================================
level      demand on the findings that were read
=========  ==============================================================================
``warn``   worth or true in at least 0.9, and worth in at least half
``error``  the same, and none wrong
``info``   wrong in at most 0.1; in at most 0.2 if worth at least twice as often as wrong
preview    none
=========  ==============================================================================

The second part of ``info`` applies to rules that are shown. A preview rule that is worth raising in less than
0.1 of its readings stays, since it would add noise.
Fewer than ten readings, or readings of fewer than three repositories, change nothing. The present level
counts as two readings more: of a shown rule as two worth or true ones, of a preview rule as two wrong ones.
Thus a rule only changes its level on evidence, and applying the rule a second time changes nothing. A
severity is never raised, since the damage decides how serious a true finding is; a preview rule that earned a
level gets its declared severity, at most the earned one. An unclear finding counts as neither true nor false.
"""

from __future__ import annotations

from enum import StrEnum

from wardround.rules.judgements import Verdict
from wardround.rules.maturity import Maturity
from wardround.rules.model import Rule
from wardround.rules.reading_counts import ReadingCounts

FEWEST_READ = 10
FEWEST_REPOSITORIES = 3
"""Below either number, readings change no level."""
PRESENT = 2
"""The readings as which the present level counts; see ``evals/level_stability.py``."""
_CORRECT = 0.9
_WORTH = 0.5
_MOST_WRONG = 0.1
_MOST_WRONG_IF_WORTH = 0.2
_WORTH_TO_WRONG = 2
_WORTH_OF_NEW = 0.1
_ROUNDING = 1e-9


class Level(StrEnum):
    """The way in which the findings of a rule are shown by default, from least to most."""

    PREVIEW = "preview"
    INFO = "info"
    WARN = "warn"
    ERROR = "error"

    @property
    def rank(self) -> int:
        return list(Level).index(self)


def present_level(rule: Rule) -> Level:
    """Return the level of a rule in the catalogue."""
    return Level(rule.severity.label) if rule.runs(preview=False) else Level.PREVIEW


def is_enough(counts: ReadingCounts) -> bool:
    """Return True if readings may change a level."""
    return counts.read >= FEWEST_READ and counts.repositories >= FEWEST_REPOSITORIES


def allowed_level(counts: ReadingCounts, present: Level) -> Level:
    """Return the highest level that readings and the present level allow, however few they are."""
    read = counts.read + PRESENT
    is_preview = present is Level.PREVIEW
    correct, wrong = counts.worth + counts.true, counts.wrong
    if is_preview:
        wrong += PRESENT
    else:
        correct += PRESENT
    worth = counts.worth + (PRESENT if present in (Level.WARN, Level.ERROR) else 0)
    if _is_reached(correct, _CORRECT * read) and _is_reached(worth, _WORTH * read):
        return Level.WARN if counts.wrong else Level.ERROR
    if is_preview and not _is_reached(counts.worth, _WORTH_OF_NEW * counts.read):
        return Level.PREVIEW
    is_worth = not is_preview and counts.worth >= _WORTH_TO_WRONG * counts.wrong
    most = _MOST_WRONG_IF_WORTH if is_worth else _MOST_WRONG
    return Level.INFO if _is_reached(most * read, wrong) else Level.PREVIEW


def _is_reached(item: float, other: float) -> bool:
    return item >= other - _ROUNDING


def following_level(rule: Rule, counts: ReadingCounts) -> Level:
    """Return the level of a rule that follows from readings: the present one, unless they suffice.

    A rule that is off for a stated reason, or deprecated, stays off.
    """
    present = present_level(rule)
    if not is_enough(counts) or rule.disabled_reason or rule.maturity is Maturity.DEPRECATED:
        return present
    ceiling = Level(rule.severity.label)
    return min(allowed_level(counts, present), ceiling, key=lambda level: level.rank)


def consequence(rule: Rule, counts: ReadingCounts) -> str:
    """Return the consequence of the readings, as one sentence for people; empty if none counts."""
    if not counts.read:
        return ""
    if not is_enough(counts):
        return (
            f"too few to change its level, which takes {FEWEST_READ} readings in "
            f"{FEWEST_REPOSITORIES} repositories"
        )
    present, following = present_level(rule), following_level(rule, counts)
    if present is following:
        return f"its level follows: {present}"
    if following.rank < present.rank:
        return f"they allow {following}; it stays at {present}, since its damage cannot be undone"
    return f"they allow {following}; the catalogue has {present}"


def shares(counts: ReadingCounts) -> str:
    """Return the share of each verdict with its 95% interval, in percent; empty if none counts."""
    if not counts.read:
        return ""
    from wardround.rules.intervals import wilson  # only people read intervals

    parts = []
    for verdict in (Verdict.WORTH, Verdict.TRUE, Verdict.WRONG):
        low, high = wilson(counts.of(verdict), counts.read)
        parts.append(f"{verdict} {100 * counts.share(verdict):.0f}% [{100 * low:.0f}, {100 * high:.0f}]")
    return ", ".join(parts)
