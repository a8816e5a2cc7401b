"""Dismissals: single findings that people have looked at and put aside, each with its reason.

They are exact: the finding with that fingerprint is waived, and no other. What they say of their rule fades,
and only ranks and folds.
"""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Collection
from typing import Literal

import msgspec

from wardround.errors import ConfigError
from wardround.findings import Finding
from wardround.processors.baseline import Acceptance, Baseline, BaselineEntry

FILE_NAME = ".wardround-dismissals.json"
SCHEMA: Literal["wardround.dismissals/1"] = "wardround.dismissals/1"
HALF_LIFE_DAYS = 180
"""After this long a dismissal says half as much about its rule.

Counts by rule helped to rank findings of the same months and no longer helped 18 months later, where this
leaves an eighth.
"""
_OWN = "wardround/"


class Dismissal(msgspec.Struct, frozen=True, forbid_unknown_fields=True, order=True, omit_defaults=True):
    """One dismissed finding.

    Attributes:
        content: its name without its file, for files that were renamed since; empty if that is not known.
    """

    file: str
    rule: str
    fingerprint: str
    day: datetime.date
    reason: str
    content: str = ""


class Dismissals(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of the dismissals' file."""

    dismissed: tuple[Dismissal, ...] = ()
    schema: Literal["wardround.dismissals/1"] = SCHEMA

    def with_one(self, one: Dismissal) -> Dismissals:
        """Together with another; of the same finding, the later one stays."""
        others = [entry for entry in self.dismissed if entry.fingerprint != one.fingerprint]
        return Dismissals(tuple(sorted([*others, one])))

    def without(self, fingerprint: str) -> Dismissals:
        return Dismissals(tuple(entry for entry in self.dismissed if entry.fingerprint != fingerprint))


def path_for(baseline: str) -> str:
    """Where the dismissals are: in the folder of the baseline."""
    folder, slash, _ = baseline.rpartition("/")
    return f"{folder}{slash}{FILE_NAME}"


def can_be_dismissed(rule: str) -> bool:
    """Whether findings of a rule may be dismissed; not those about what steers a review."""
    return not rule.startswith(_OWN)


def load(content: bytes | None, name: str) -> Dismissals:
    """Read a file of dismissals; none is an empty one.

    Raises:
        ConfigError: it is none of this version, or one gives no reason.
    """
    if content is None:
        return Dismissals()
    try:
        found = msgspec.json.decode(content, type=Dismissals)
    except (msgspec.MsgspecError, UnicodeDecodeError) as cause:
        raise ConfigError(f"{name} holds no dismissals: {cause}; restore or remove it") from cause
    for entry in found.dismissed:
        if not entry.reason.strip():
            raise ConfigError(f"{name}: {entry.fingerprint} is dismissed without a reason; write one")
    return found


def dump(dismissals: Dismissals) -> bytes:
    """The file: sorted and one finding a line, so that it merges well."""
    rows = [msgspec.json.encode(entry).decode() for entry in sorted(dismissals.dismissed)]
    body = ",\n  ".join(rows)
    listed = f"[\n  {body}\n]" if rows else "[]"
    return f'{{"schema": "{SCHEMA}", "dismissed": {listed}}}\n'.encode()


class DismissalMatcher:
    """Says which findings are dismissed, and why. Each entry waives one finding."""

    def __init__(self, dismissals: Dismissals, present: Collection[str] | None = None) -> None:
        """Args:
        present: the paths that exist at the head; entries of others may stand for renamed files.
        """
        self._entries = dismissals.dismissed
        self._acceptance = Acceptance(
            Baseline(tuple(BaselineEntry(e.file, e.rule, e.fingerprint, e.content) for e in self._entries)),
            present,
        )

    def reason(self, finding: Finding, content: str) -> str | None:
        """Why a finding is dismissed; None if it is not."""
        if not can_be_dismissed(finding.rule):
            return None
        entry = self._acceptance.entry(finding, content)
        return None if entry is None else self._entries[entry].reason


def by_rule(dismissals: Dismissals, today: datetime.date) -> dict[str, float]:
    """How often each rule was dismissed; a dismissal counts half after every ``HALF_LIFE_DAYS``."""
    counts: dict[str, float] = defaultdict(float)
    for entry in dismissals.dismissed:
        age = max(0, (today - entry.day).days)
        counts[entry.rule] += 0.5 ** (age / HALF_LIFE_DAYS)
    return dict(counts)
