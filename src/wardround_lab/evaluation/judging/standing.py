"""The severity that a rule has earned, against that in the catalogue.

The written rule: ``warn`` if the findings were worth or true in at least 0.9 and worth in at least half;
``info`` if they were wrong in at most 0.1; else ``preview``. ``error`` needs the same as ``warn``, and no
wrong one. Damage that cannot be undone may override it, with a reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import msgspec

from wardround.errors import ConfigError
from wardround.rules.catalogue import Catalogue
from wardround.rules.judgements import Verdict
from wardround.rules.maturity import Damage
from wardround.rules.model import Rule
from wardround.rules.reading_counts import ReadingCounts
from wardround.rules.yaml_loader import InvalidYamlError, parse_yaml

FEWEST_READ = 10
"""With fewer judged findings, a rule keeps its place."""
OVERRIDES = "overrides.yml"
_CORRECT = 0.9
_WORTH = 0.5
_MOST_WRONG = 0.1


class Level(StrEnum):
    """The way in which the findings of a rule are shown by default, from least to most."""

    PREVIEW = "preview"
    INFO = "info"
    WARN = "warn"
    ERROR = "error"


class Override(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rule whose level does not depend on its readings: the damage, and why this rule guards against it."""

    damage: Damage
    reason: str


@dataclass(frozen=True, slots=True)
class Standing:
    """A rule whose level in the catalogue is not the one that it has earned."""

    rule: str
    current: Level
    earned: Level
    counts: ReadingCounts
    override: Override | None = None


def earned(counts: ReadingCounts) -> Level | None:
    """Return the highest level that readings allow; None if too few were read.

    An unclear finding is neither correct nor wrong.
    """
    if counts.read < FEWEST_READ:
        return None
    correct = counts.share(Verdict.WORTH, Verdict.TRUE)
    if correct >= _CORRECT and counts.share(Verdict.WORTH) >= _WORTH:
        return Level.ERROR if not counts.wrong else Level.WARN
    return Level.INFO if counts.share(Verdict.WRONG) <= _MOST_WRONG else Level.PREVIEW


def current(rule: Rule) -> Level:
    """Return the level of a rule in the catalogue."""
    return Level(rule.severity.label) if rule.runs(preview=False) and rule.is_shown else Level.PREVIEW


def differences(
    counts: Mapping[str, ReadingCounts], catalogue: Catalogue, overrides: Mapping[str, Override]
) -> list[Standing]:
    """Return the rules above the level that they have earned, and those at preview that have earned more.

    A severity below the earned one does not count: the damage decides how serious a true finding is.
    """
    found = []
    for name, count in counts.items():
        allowed, rules = earned(count), catalogue.resolve(name)
        if allowed is None or len(rules) != 1:
            continue
        now = current(rules[0])
        order = list(Level)
        if order.index(now) > order.index(allowed) or (now is Level.PREVIEW is not allowed):
            found.append(Standing(name, now, allowed, count, overrides.get(name)))
    return found


def read_overrides(folder: Path) -> dict[str, Override]:
    """Return the overrides next to the judgements; none without the file.

    Raises:
        ConfigError: the file is invalid.
    """
    file = folder / OVERRIDES
    if not file.exists():
        return {}
    try:
        return msgspec.convert(parse_yaml(file.read_text("utf-8")) or {}, dict[str, Override])
    except (InvalidYamlError, msgspec.ValidationError, UnicodeDecodeError) as cause:
        raise ConfigError(f"{file}: {cause}; give each rule a damage and a reason") from cause
