"""The dismissals file: single findings that people have dismissed, each with a reason and a day."""

from __future__ import annotations

import datetime
from collections import defaultdict
from typing import Literal

import msgspec

from wardround.errors import ConfigError

FILE_NAME = ".wardround-dismissals.json"
SCHEMA: Literal["wardround.dismissals/1"] = "wardround.dismissals/1"
_OWN_RULES = "wardround/"
HALF_LIFE_DAYS = 180
"""Days after which a dismissal weighs half as much in the ranking of its rule.

Counts by rule improved the ranking of findings of the same months, but not 18 months later; after that time
an eighth of the weight remains.
"""


class Dismissal(msgspec.Struct, frozen=True, forbid_unknown_fields=True, order=True, omit_defaults=True):
    """One dismissed finding.

    Attributes:
        content: its identity without the file, for files that are renamed later; empty if unknown.
    """

    file: str
    rule: str
    fingerprint: str
    day: datetime.date
    reason: str
    content: str = ""


class Dismissals(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of the dismissals file."""

    dismissed: tuple[Dismissal, ...] = ()
    schema: Literal["wardround.dismissals/1"] = SCHEMA

    def with_entry(self, dismissal: Dismissal) -> Dismissals:
        """These dismissals and one more, which replaces an earlier one of the same finding."""
        others = [entry for entry in self.dismissed if entry.fingerprint != dismissal.fingerprint]
        return Dismissals(tuple(sorted([*others, dismissal])))

    def without(self, fingerprint: str) -> Dismissals:
        """These dismissals without that of one finding."""
        return Dismissals(tuple(entry for entry in self.dismissed if entry.fingerprint != fingerprint))


def path_for(baseline: str) -> str:
    """Return the path of the dismissals file, in the folder of the baseline."""
    folder, slash, _ = baseline.rpartition("/")
    return f"{folder}{slash}{FILE_NAME}"


def can_be_dismissed(rule: str) -> bool:
    """Return True if findings of a rule may be dismissed: all but those about the review itself."""
    return not rule.startswith(_OWN_RULES)


def load(content: bytes | None, name: str) -> Dismissals:
    """Read a dismissals file; without a file, there are no dismissals.

    Raises:
        ConfigError: the file is not of this version, or an entry gives no reason.
    """
    if content is None:
        return Dismissals()
    try:
        dismissals = msgspec.json.decode(content, type=Dismissals)
    except (msgspec.MsgspecError, UnicodeDecodeError) as cause:
        raise ConfigError(f"{name} holds no dismissals: {cause}; restore or remove it") from cause
    for entry in dismissals.dismissed:
        if not entry.reason.strip():
            raise ConfigError(f"{name}: {entry.fingerprint} is dismissed without a reason; write one")
    return dismissals


def dump(dismissals: Dismissals) -> bytes:
    """Return the content of the file: sorted, a finding a line, so that git merges it."""
    rows = [msgspec.json.encode(entry).decode() for entry in sorted(dismissals.dismissed)]
    body = ",\n  ".join(rows)
    listed = f"[\n  {body}\n]" if rows else "[]"
    return f'{{"schema": "{SCHEMA}", "dismissed": {listed}}}\n'.encode()


def dismissals_by_rule(dismissals: Dismissals, today: datetime.date) -> dict[str, float]:
    """Return the number of dismissals of each rule; one weighs half after every ``HALF_LIFE_DAYS``."""
    counts: dict[str, float] = defaultdict(float)
    for entry in dismissals.dismissed:
        age = max(0, (today - entry.day).days)
        counts[entry.rule] += 0.5 ** (age / HALF_LIFE_DAYS)
    return dict(counts)
