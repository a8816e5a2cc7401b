"""The baseline: findings that were there before wardround was, and are accepted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Literal

import msgspec

from wardround.change.encoding import escape_undecodable
from wardround.errors import ConfigError
from wardround.findings import Finding

SCHEMA: Literal["wardround.baseline/1"] = "wardround.baseline/1"


class BaselineEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, order=True):
    """One accepted finding. ``content`` names it without its file, for files that were renamed since."""

    file: str
    rule: str
    fingerprint: str
    content: str


class Baseline(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of the baseline file."""

    findings: tuple[BaselineEntry, ...] = ()
    schema: Literal["wardround.baseline/1"] = SCHEMA


def load(content: bytes | None, name: str) -> Baseline:
    """Read a baseline file; none is an empty one.

    Raises:
        ConfigError: it is not a baseline of this version.
    """
    if content is None:
        return Baseline()
    try:
        return msgspec.json.decode(content, type=Baseline)
    except (msgspec.MsgspecError, UnicodeDecodeError) as cause:
        raise ConfigError(
            f"{name} is not a baseline: {cause}; restore it, or run wardround baseline write"
        ) from cause


def dump(baseline: Baseline) -> bytes:
    """The file for a baseline: sorted and one finding a line, so that it merges well."""
    rows = [msgspec.json.encode(entry).decode() for entry in sorted(baseline.findings)]
    body = ",\n  ".join(rows)
    listed = f"[\n  {body}\n]" if rows else "[]"
    return f'{{"schema": "{SCHEMA}", "findings": {listed}}}\n'.encode()


class Acceptance:
    """Which findings a baseline accepts. Each entry accepts one finding."""

    def __init__(self, baseline: Baseline, present: Collection[str] | None = None) -> None:
        """Args:
        present: the paths that exist at the head; entries of others may stand for renamed files.
        """
        here = None if present is None else {escape_undecodable(path) for path in present}
        self._by_fingerprint: dict[str, list[int]] = defaultdict(list)
        self._renamed: dict[str, list[int]] = defaultdict(list)
        for number, entry in enumerate(baseline.findings):
            self._by_fingerprint[entry.fingerprint].append(number)
            if here is not None and entry.file not in here:
                self._renamed[entry.content].append(number)
        self._used: set[int] = set()

    def matches(self, finding: Finding, content: str) -> bool:
        """Whether an entry accepts this finding; that entry is then used up."""
        return self.entry(finding, content) is not None

    def entry(self, finding: Finding, content: str) -> int | None:
        """The number of the entry that accepts this finding, which is then used up; None if none does."""
        for pool, name in ((self._by_fingerprint, finding.fingerprint), (self._renamed, content)):
            free = next((number for number in pool.get(name, ()) if number not in self._used), None)
            if free is not None:
                self._used.add(free)
                return free
        return None


def accepted(findings: Iterable[tuple[Finding, str]]) -> Baseline:
    """A baseline that accepts these findings, each given with its name without the file."""
    return Baseline(
        tuple(
            sorted(
                BaselineEntry(escape_undecodable(f.file), f.rule, f.fingerprint, content)
                for f, content in findings
            )
        )
    )
