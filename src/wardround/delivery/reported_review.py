"""A review as its JSON report has it, for commands that did not make the review themselves.

The report may come from a job that ran code of a stranger, so it is data: bounded, checked, and escaped where
it is printed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from wardround.change.revisions import is_object_id
from wardround.errors import UsageError

MOST_BYTES = 64 * 2**20
"""A report with 30,000 findings has about 30 MB."""


class ReportedContext(msgspec.Struct, frozen=True):
    """The change of a report."""

    id: str
    base: str
    head: str
    files: int = 0
    added_lines: int = 0


class ReportedGate(msgspec.Struct, frozen=True):
    """The outcome of the gate: pass, blocked or inconclusive."""

    outcome: Literal["pass", "blocked", "inconclusive"]
    fail_level: str = "error"
    reasons: tuple[str, ...] = ()


class ReportedVerdict(msgspec.Struct, frozen=True):
    """The verdict of a report."""

    name: Literal["auto-merge", "auto-approve", "human-review", "escalate", "declined"]
    tier: Literal["T1", "T2", "T3", "T4", "T5"]
    policy: str
    reasons: tuple[str, ...] = ()
    approvals: int = 0


class ReportedEdit(msgspec.Struct, frozen=True):
    """An edit of a suggested fix; lines and columns as in findings."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    replacement: str


class ReportedFix(msgspec.Struct, frozen=True):
    """A suggested fix."""

    description: str
    safe: bool
    edits: tuple[ReportedEdit, ...] = ()


class ReportedEstimate(msgspec.Struct, frozen=True):
    """The estimate of a finding's worth."""

    folded: bool = False


class ReportedFinding(msgspec.Struct, frozen=True):
    """A finding of a report."""

    fingerprint: Annotated[str, Meta(pattern=r"\A[0-9a-f]{16}\Z")]  # it becomes a marker in comments
    rule: str
    plane: str
    severity: Literal["info", "warn", "error"]
    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    message: str
    status: Literal["new", "caused", "existing", "suppressed"]
    rationale: str = ""
    defect_class: str = ""
    specialist: str = ""
    confidence: float = 1.0
    suggested_fix: ReportedFix | None = None
    sources: tuple[str, ...] = ()
    url: str | None = None
    estimate: ReportedEstimate | None = None

    @property
    def is_folded(self) -> bool:
        """True if the triage folds it as less useful than others."""
        return self.estimate is not None and self.estimate.folded


class ReportedSignal(msgspec.Struct, frozen=True):
    """The result of a plane."""

    plane: str
    status: Literal["reviewed", "inconclusive", "not-applicable"]
    severity: str = "none"
    confidence: float = 1.0
    findings: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


class ReportedGap(msgspec.Struct, frozen=True):
    """A file that a tool did not review."""

    file: str
    specialist: str
    tool: str
    reason: str


class ReportedReview(msgspec.Struct, frozen=True):
    """The parts of a JSON report that are posted or acted on."""

    schema: Literal["wardround.report/1"]
    context: ReportedContext
    gate: ReportedGate
    verdict: ReportedVerdict
    signals: tuple[ReportedSignal, ...] = ()
    findings: tuple[ReportedFinding, ...] = ()
    held_back: int = 0
    unreviewed: tuple[ReportedGap, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def commit(self) -> str:
        """The id of the reviewed commit; empty if the review is not about a commit."""
        return self.context.head if is_object_id(self.context.head) else ""


def read_report(file: Path) -> ReportedReview:
    """Read a JSON report.

    Raises:
        UsageError: it cannot be read, is too large, or is not a report.
    """
    try:
        with file.open("rb") as opened:
            content = opened.read(MOST_BYTES + 1)
    except OSError as cause:
        raise UsageError(f"{file}: {cause.strerror}; name the report.json of a review") from cause
    if len(content) > MOST_BYTES:
        raise UsageError(f"{file} has more than {MOST_BYTES:,} bytes; a report of a review is smaller")
    return parse_report(content, str(file))


def parse_report(content: bytes, name: str) -> ReportedReview:
    """Decode a JSON report.

    Raises:
        UsageError: it is not a report.
    """
    try:
        return msgspec.json.decode(content, type=ReportedReview)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as cause:
        raise UsageError(
            f"{name} is not a JSON report of a review: {cause}; "
            "name report.json of wardround ci, or the file of --format json=FILE"
        ) from None
