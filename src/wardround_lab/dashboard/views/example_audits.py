"""The checks of the audit of a file, and the splits into training and evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from wardround.errors import TrainingError, UsageError
from wardround_lab.corpora.audit import AuditCheck
from wardround_lab.corpora.sft import EVALUATION, RECORD, TRAIN, SftResult
from wardround_lab.dashboard.views.example_files import StoredAudit, stored_audit
from wardround_lab.dashboard.views.line_index import known_digest

LEAK_CHECKS = (
    "split", "repository-leakage", "group-leakage", "time-leakage", "near-duplicates-across",
)  # fmt: skip
"""The checks that compare training and evaluation."""
_MOST_SPLITS = 50


class CheckRow(msgspec.Struct, frozen=True):
    """A check of an audit.

    Attributes:
        result: ``passed``, ``FAILED`` or ``not run``.
        share, limit: as percentages.
    """

    check: str
    result: str
    share: str
    limit: str
    message: str
    examples: tuple[str, ...]


class SplitRow(msgspec.Struct, frozen=True, kw_only=True):
    """A training and an evaluation file that were built together.

    Attributes:
        leaks: the outcome of the checks that compare the two files.
    """

    folder: str
    train: int
    evaluation: int
    repositories: int
    left_out: str
    leaks: str


def check_rows(checks: Sequence[AuditCheck]) -> list[CheckRow]:
    """Return the checks of an audit, failures first."""
    ordered = sorted(checks, key=lambda check: (check.passed, not check.looked))
    return [
        CheckRow(
            check.name, _result(check), f"{check.share:.1%}", f"{check.limit:.1%}", check.said, check.examples
        )
        for check in ordered
    ]


def _result(check: AuditCheck) -> str:
    if not check.passed:
        return "FAILED"
    return "passed" if check.looked else "not run"


def describe_audit(stored: StoredAudit | None) -> str:
    """Return the outcome of the audit of a file in one sentence."""
    if stored is None:
        return "This file has not been audited."
    audit = stored.audit
    sides = f"{audit.train_items:,} examples to train on, {audit.evaluation_items:,} to evaluate with"
    if not stored.is_current:
        return f"The file has changed since its audit ({sides}); audit it again before a training."
    failures = len(audit.failures())
    if failures:
        return f"The audit failed {failures} of {len(audit.checks)} checks; {sides}."
    return f"The audit passed all {len(audit.checks)} checks; {sides}."


def splits(data: Path) -> list[SplitRow]:
    """Return the splits that were built in a folder, by name; at most 50."""
    records = sorted(data.rglob(RECORD))[:_MOST_SPLITS]
    return [row for record in records if (row := _split(data, record)) is not None]


def _split(data: Path, record: Path) -> SplitRow | None:
    try:
        built = msgspec.json.decode(record.read_bytes(), type=SftResult)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    left_out = f"{built.duplicates} duplicates, {built.near} near-duplicates, {built.unused} outside the cut"
    return SplitRow(
        folder=record.parent.relative_to(data).as_posix(),
        train=built.train,
        evaluation=built.evaluation,
        repositories=len(built.evaluation_repositories),
        left_out=left_out,
        leaks=_leaks(record.parent, built),
    )


def _leaks(folder: Path, built: SftResult) -> str:
    try:
        digests = known_digest(folder / TRAIN), known_digest(folder / EVALUATION)
        stored = stored_audit(folder / TRAIN)
    except (TrainingError, UsageError) as cause:
        return str(cause)
    if digests != (built.train_sha256, built.evaluation_sha256):
        return "the files have changed since they were built"
    if stored is None or not stored.is_current:
        return "not checked: audit the two files together"
    compared = [check for check in stored.audit.checks if check.name in LEAK_CHECKS]
    failures = [check.name for check in compared if not check.passed]
    return f"FAILED: {', '.join(failures)}" if failures else f"none: {len(compared)} checks passed"
