"""Audit training records: each check is counted and limited, and the result is stored next to them.

The audit is in ``<records>.audit.json`` with the digest of the records; it does not apply to other or changed
records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec

from wardround import __version__
from wardround.errors import TrainingError, UsageError
from wardround_lab.corpora.records import digest_of

AUDIT_SUFFIX = ".audit.json"
SCHEMA = "wardround.audit/1"
_HINT = "run wardround data audit"
_EXAMPLES = 5

SHARES: Mapping[str, float] = {
    "records": 0.0,
    "secrets": 0.0,
    "duplicates": 0.01,
    "near-duplicates-across": 0.0,
    "generated": 0.01,
    "poor-text": 0.02,
    "licence": 0.0,
    "kept-for-measuring": 0.0,
    "split": 0.0,
    "repository-leakage": 0.0,
    "group-leakage": 0.0,
    "time-leakage": 0.0,
    "echo": 0.05,
    "position": 0.10,
    "length": 0.20,
    "one-answer": 0.5,
}
"""Check -> the maximum share of items that may fail it.

For ``position`` it is the rate above chance, for ``length`` the distance of the AUC from 0.5.
"""


class AuditCheck(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Result of one check.

    Attributes:
        count: items that fail it.
        share: the value compared with the limit, 0 to 1.
        limit: the largest share that passes.
        examples: positions with their defect; never a secret.
        said: one sentence: the result and, if it failed, what to do.
        looked: whether the check could run; a check that did not run passes.
    """

    name: str
    passed: bool
    count: int
    share: float
    limit: float
    said: str
    examples: tuple[str, ...] = ()
    looked: bool = True


class AuditedFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An audited file of records, for training or for evaluation."""

    name: str
    sha256: str
    role: Literal["train", "evaluation", "both"]
    items: int


class Audit(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Result of the audit of one file of records, and of the files with which it was audited.

    Attributes:
        records, sha256: the audited file, and its digest at that time.
        hold_out: repositories of the evaluation, if one file contains both parts.
        since: seconds since 1970; if set, the evaluation is at or after it and the training before it.
            train_repositories, evaluation_repositories: sorted.
        scope: the rule by which one repository was split; empty if the parts are disjoint repositories.
    """

    schema: Literal["wardround.audit/1"]
    version: str
    records: str
    sha256: str
    passed: bool
    files: tuple[AuditedFile, ...]
    hold_out: tuple[str, ...]
    since: int
    train_items: int
    evaluation_items: int
    train_repositories: tuple[str, ...]
    evaluation_repositories: tuple[str, ...]
    checks: tuple[AuditCheck, ...]
    scope: str = ""

    def failures(self) -> list[str]:
        """One sentence for each failed check."""
        return [f"{check.name}: {check.said}" for check in self.checks if not check.passed]


def audit_of(records: Path) -> Path:
    """Return the path of the audit of a file of records."""
    return records.with_name(records.name + AUDIT_SUFFIX)


def read_audit(records: Path) -> Audit:
    """Return the audit of records that passed it and have not changed since.

    Raises:
        TrainingError: there is none, it cannot be read, it failed, or the records have changed.
    """
    file = audit_of(records)
    try:
        audit = msgspec.json.decode(file.read_bytes(), type=Audit)
    except FileNotFoundError as cause:
        raise TrainingError(f"{records} has not been audited; {_HINT} {records}") from cause
    except OSError as cause:
        raise TrainingError(f"{file}: {cause.strerror}; {_HINT} {records}") from cause
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as cause:
        raise TrainingError(f"{file}: {cause}; {_HINT} {records} again") from cause
    try:
        sha256 = digest_of(records)
    except UsageError as cause:
        raise TrainingError(str(cause)) from cause
    if audit.sha256 != sha256:
        raise TrainingError(f"{records} changed after its audit; {_HINT} {records} again")
    failures = audit.failures()
    if failures or not audit.passed:
        raise TrainingError(
            f"{records} failed its audit: {'; '.join(failures) or 'as recorded'}; correct and audit it again"
        )
    return audit


@dataclass(slots=True)
class CheckCounter:
    """A check while it is counted.

    Attributes:
        fault: predicate of the items that fail it, following their number.
        advice: what to do if it fails.
        share: replaces the count by items, for checks that limit another quantity.
        note: replaces the sentence with the count.
        examples: the first few.
        looked: as ``AuditCheck.looked``.
    """

    name: str
    fault: str
    advice: str
    items: int = 0
    count: int = 0
    share: float | None = None
    note: str = ""
    examples: list[str] = field(default_factory=list)
    looked: bool = True

    def add(self, example: str) -> None:
        """Count an item that fails it."""
        self.count += 1
        if len(self.examples) < _EXAMPLES:
            self.examples.append(example)

    def check(self, limits: Mapping[str, float]) -> AuditCheck:
        """Return the result against the limit of its name."""
        limit = limits.get(self.name, 0.0)
        share = self.count / max(self.items, 1) if self.share is None else self.share
        passed = share <= limit
        reported = self.note or f"{self.count} of {self.items} items {self.fault}"
        return AuditCheck(
            name=self.name,
            passed=passed,
            count=self.count,
            share=round(share, 6),
            limit=limit,
            said=reported if passed else f"{reported}; {self.advice}",
            examples=tuple(self.examples),
            looked=self.looked,
        )


def assemble_audit(
    file: AuditedFile,
    files: Sequence[AuditedFile],
    checks: Sequence[AuditCheck],
    *,
    hold_out: Sequence[str],
    since: int | None,
    train: tuple[int, Sequence[str]],
    evaluation: tuple[int, Sequence[str]],
    scope: str = "",
) -> Audit:
    """Build the audit of one file; ``train`` and ``evaluation`` are (items, repositories)."""
    return Audit(
        schema="wardround.audit/1",
        version=__version__,
        records=file.name,
        sha256=file.sha256,
        passed=all(check.passed for check in checks),
        files=tuple(files),
        hold_out=tuple(sorted(hold_out)),
        since=since or 0,
        train_items=train[0],
        evaluation_items=evaluation[0],
        train_repositories=tuple(sorted(train[1])),
        evaluation_repositories=tuple(sorted(evaluation[1])),
        checks=tuple(checks),
        scope=scope,
    )
