"""The changes of the catalogue that follow from readings by the written rule, ``rules.earned_level``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

from wardround.errors import ConfigError
from wardround.rules.catalogue import Catalogue
from wardround.rules.earned_level import Level, allowed_level, following_level, is_enough, present_level
from wardround.rules.file_kinds import FileKind, kind_of_file
from wardround.rules.judgements import FindingKey
from wardround.rules.maturity import Damage
from wardround.rules.model import Rule
from wardround.rules.reading_counts import ReadingCounts
from wardround.rules.yaml_loader import InvalidYamlError, parse_yaml
from wardround_lab.evaluation.judging.rates import Verdicts, counts_by, counts_of, group_verdicts, rule_of

OVERRIDES = "overrides.yml"
KindsOff = Mapping[str, Collection[FileKind]]
"""Rule -> the kinds of files in which it is off."""


class Override(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Rules that readings do not lower: the damage, and why they guard against it."""

    damage: Damage
    reason: str


@dataclass(frozen=True, slots=True)
class RuleLevels:
    """A rule whose level in the catalogue is not the one that follows from its readings."""

    rule: str
    present: Level
    following: Level
    counts: ReadingCounts
    override: Override | None = None


@dataclass(frozen=True, slots=True)
class KindStanding:
    """A rule that turns off, or on again, in one kind of file, and its readings there."""

    rule: str
    kind: FileKind
    turns_off: bool
    counts: ReadingCounts


@dataclass(frozen=True, slots=True)
class CatalogueChanges:
    """The changes of rules that follow from readings; those with an override are listed and not made."""

    levels: tuple[RuleLevels, ...]
    kinds: tuple[KindStanding, ...]

    @property
    def due(self) -> tuple[RuleLevels, ...]:
        """The levels to change."""
        return tuple(level for level in self.levels if level.override is None)

    def __bool__(self) -> bool:
        return bool(self.due or self.kinds)


def plan(
    verdicts: Verdicts, catalogue: Catalogue, overrides: Mapping[str, Override], off: KindsOff
) -> CatalogueChanges:
    """Apply the documented rule: first to each kind of file, then to all other files."""
    levels: list[RuleLevels] = []
    kinds: list[KindStanding] = []
    for name, some in group_verdicts(verdicts, rule_of).items():
        rules = catalogue.resolve(name)
        if len(rules) != 1:
            continue
        override = override_of(name, overrides)
        changed = [] if override else _kinds(rules[0], some, frozenset(off.get(name, ())))
        after = _kinds_left_off(frozenset(off.get(name, ())), changed)
        kinds += changed
        levels += _level(rules[0], _outside(some, after), override)
    return CatalogueChanges(tuple(levels), tuple(kinds))


def _level(rule: Rule, verdicts: Verdicts, override: Override | None) -> Iterable[RuleLevels]:
    if not verdicts:
        return ()
    counts = counts_of(verdicts)
    present, following = present_level(rule), following_level(rule, counts)
    is_lower = following.rank < present.rank
    standing = RuleLevels(rule.id, present, following, counts, override if is_lower else None)
    return () if present is following else (standing,)


def _kinds(rule: Rule, verdicts: Verdicts, off: Collection[FileKind]) -> list[KindStanding]:
    """Return the kinds of files for which only a rule is wrong, and those for which it no longer is."""
    if present_level(rule) is Level.PREVIEW:
        return []
    counts = counts_by(verdicts, lambda key: kind_of_file(key.path))
    changed = []
    for kind in map(FileKind, counts):
        current = Level.PREVIEW if kind in off else present_level(rule)
        is_wrong = allowed_level(counts[kind], current) is Level.PREVIEW
        if is_enough(counts[kind]) and is_wrong != (kind in off):
            changed.append(KindStanding(rule.id, kind, is_wrong, counts[kind]))
    rest = _outside(verdicts, _kinds_left_off(off, changed))
    is_right_elsewhere = (
        bool(rest) and allowed_level(counts_of(rest), present_level(rule)) is not Level.PREVIEW
    )
    return [change for change in changed if is_right_elsewhere or not change.turns_off]


def _kinds_left_off(off: Collection[FileKind], changed: Iterable[KindStanding]) -> frozenset[FileKind]:
    """Return the kinds in which a rule is off after changes."""
    turned = {change.kind: change.turns_off for change in changed}
    return frozenset(kind for kind in FileKind if turned.get(kind, kind in off))


def _outside(verdicts: Verdicts, kinds: Collection[FileKind]) -> Verdicts:
    return {key: verdict for key, verdict in verdicts.items() if kind_of_file(key.path) not in kinds}


def shipped_counts(
    verdicts: Verdicts, off: KindsOff, not_reported: Collection[FindingKey] = ()
) -> dict[str, ReadingCounts]:
    """Return the counts by rule that ship: without files of kinds in which the rule is off.

    Args:
        not_reported: judged findings, not among the verdicts, that the present version does not report.
    """

    def is_on(key: FindingKey) -> bool:
        return kind_of_file(key.path) not in off.get(rule_of(key), ())

    counts = counts_by({key: verdict for key, verdict in verdicts.items() if is_on(key)}, rule_of)
    left_out = Counter(rule_of(key) for key in not_reported if is_on(key))
    for name, number in left_out.items():
        known = counts.get(name, ReadingCounts(repositories=0))
        counts[name] = msgspec.structs.replace(known, no_longer_reported=number)
    return dict(sorted(counts.items()))


def kinds_after(off: KindsOff, changes: Iterable[KindStanding]) -> dict[str, frozenset[FileKind]]:
    """Return the table of kinds after a plan; rules without any are excluded."""
    by_rule: dict[str, list[KindStanding]] = {}
    for change in changes:
        by_rule.setdefault(change.rule, []).append(change)
    names = sorted({*off, *by_rule})
    found = {name: _kinds_left_off(frozenset(off.get(name, ())), by_rule.get(name, ())) for name in names}
    return {name: kinds for name, kinds in found.items() if kinds}


def override_of(rule: str, overrides: Mapping[str, Override]) -> Override | None:
    """Return the first override whose key, an id or a pattern of ids, matches a rule."""
    return next((override for key, override in overrides.items() if fnmatchcase(rule, key)), None)


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
