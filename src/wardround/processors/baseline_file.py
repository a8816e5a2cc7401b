"""The baseline file: findings that were accepted before wardround was adopted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from wardround.change.encoding import escape_undecodable
from wardround.errors import ConfigError
from wardround.findings import Finding

SCHEMA: Literal["wardround.baseline/1"] = "wardround.baseline/1"


class BaselineEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, order=True):
    """One accepted finding; ``content`` is its identity without the file, which may be renamed later."""

    file: str
    rule: str
    fingerprint: str
    content: str


class Baseline(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of the baseline file."""

    findings: tuple[BaselineEntry, ...] = ()
    schema: Literal["wardround.baseline/1"] = SCHEMA


def load(content: bytes | None, name: str) -> Baseline:
    """Read a baseline file; without a file, the baseline is empty.

    Raises:
        ConfigError: the file is not a baseline of this version.
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
    """Return the content of the file for a baseline: sorted, a finding a line, so that git merges it."""
    rows = [msgspec.json.encode(entry).decode() for entry in sorted(baseline.findings)]
    body = ",\n  ".join(rows)
    listed = f"[\n  {body}\n]" if rows else "[]"
    return f'{{"schema": "{SCHEMA}", "findings": {listed}}}\n'.encode()


def baseline_of(findings: Iterable[tuple[Finding, str]]) -> Baseline:
    """Return a baseline that accepts these findings, each with its identity without the file."""
    return Baseline(
        tuple(
            sorted(
                BaselineEntry(escape_undecodable(f.file), f.rule, f.fingerprint, content)
                for f, content in findings
            )
        )
    )
