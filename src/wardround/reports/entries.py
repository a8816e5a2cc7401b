"""The entries of reports for other programs: one rule for gitlab, rdjson, checkstyle and warnings-ng.

These formats cannot express a suppression, so they show the findings that the filter mode passes and nothing
waives. Like SARIF they also show the notes about repetitions. A file that was not reviewed is an entry of its
own, since a consumer that sees no entry shows the file as clean.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from wardround.analyses.repetitions import RATIONALE, Repetitions, repetition_notes
from wardround.analyses.repetitions import RULE as REPETITION
from wardround.change.encoding import escape_undecodable
from wardround.findings import Finding, Severity, Span, SuggestedFix, Unreviewed
from wardround.reports import truncate
from wardround.reports.claim_lines import second_pass_text
from wardround.review_result import ReviewResult
from wardround.storage.digest import digest_key

NOT_REVIEWED = "wardround/not-reviewed"
"""The rule of an entry for a file that a tool did not review."""
MAX_TEXT = 1_024
"""The length to which a message or a reason is cut, as in SARIF."""
_WHY_NOT_REVIEWED = "Without this review it is unknown whether the file has findings."


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of a report; its texts may contain any character.

    Attributes:
        kind: the defect class, whichever tool reports it.
        category: the plane, or ``not-reviewed``.
        has_columns: the columns of the span are of the file at the head.
    """

    fingerprint: str
    rule: str
    kind: str
    category: str
    severity: Severity
    file: str
    span: Span
    message: str
    rationale: str
    url: str = ""
    sources: tuple[str, ...] = ()
    fix: SuggestedFix | None = None
    has_columns: bool = False

    @property
    def last_line(self) -> int:
        """The last line with a character of the span."""
        span = self.span
        return span.end_line - 1 if span.end_column == 1 and span.end_line > span.line else span.end_line

    @property
    def text(self) -> str:
        """The message with the reason, for readers that show one text."""
        end = "" if self.message.endswith((".", "!", "?", ":")) else "."
        return f"{self.message}{end} {self.rationale}" if self.rationale else self.message

    @property
    def path(self) -> str:
        """The path as text that can be encoded."""
        return escape_undecodable(self.file)


def entries(review: ReviewResult) -> list[Entry]:
    """Return the entries of a review: what was not reviewed, then findings and notes by position."""
    notes = repetition_notes(review.conclusion.evidence.notes_of(Repetitions))
    found = [_finding_entry(finding) for finding in review.open_findings]
    found += [
        Entry(
            fingerprint=note.fingerprint,
            rule=REPETITION,
            kind="repetition",
            category=Repetitions.plane.value,
            severity=Severity.INFO,
            file=note.path,
            span=Span(note.line, 1, note.end_line, 2),
            message=truncate(note.message, MAX_TEXT),
            rationale=RATIONALE,
        )
        for note in notes
    ]
    found.sort(key=lambda entry: (entry.file, entry.span, entry.rule, entry.fingerprint))
    return [*_unreviewed_entries(review.unreviewed), *found]


def _finding_entry(finding: Finding) -> Entry:
    parts = [" ".join(finding.rationale.split())]
    parts += [] if finding.claim is None else [second_pass_text(finding.claim)]
    return Entry(
        fingerprint=finding.fingerprint,
        rule=finding.rule,
        kind=finding.defect_class,
        category=finding.plane.value,
        severity=finding.severity,
        file=finding.file,
        span=finding.span,
        message=truncate(finding.message, MAX_TEXT) or "(no message)",
        rationale=truncate(" ".join(part for part in parts if part), MAX_TEXT),
        url=finding.url or "",
        sources=finding.sources,
        fix=None if finding.masked or finding.commit else finding.suggested_fix,
        has_columns=not finding.commit,
    )


def _unreviewed_entries(unreviewed: Sequence[Unreviewed]) -> Iterator[Entry]:
    for gap in sorted(unreviewed):
        key = digest_key(NOT_REVIEWED, escape_undecodable(gap.file), gap.tool, escape_undecodable(gap.reason))
        yield Entry(
            fingerprint=key.hex()[:16],
            rule=NOT_REVIEWED,
            kind="not-reviewed",
            category="not-reviewed",
            severity=Severity.WARN,
            file=gap.file,
            span=Span(1, 1, 1, 1),
            message=truncate(f"not reviewed by {gap.tool}: {gap.reason}", MAX_TEXT),
            rationale=_WHY_NOT_REVIEWED,
        )
