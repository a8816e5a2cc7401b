"""Workflow commands that GitHub Actions turns into annotations on the changed lines.

A step may make ten annotations of each kind; GitHub drops the rest silently, so they are chosen here and the
others are counted. ``line`` and ``endLine`` name the first and the last line, and in the same way ``col``
and ``endColumn`` the first and the last column. GitHub ignores columns of more than one line.

Sources: https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands; the runner's
``ActionCommandManager``.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import count

import msgspec

from wardround.analyses.repetitions import RULE, Repetitions, repetition_notes
from wardround.findings import Finding, Severity, Span, Status, Unreviewed
from wardround.reports import truncate
from wardround.reports.claim_lines import second_pass_text
from wardround.reports.text import summary_line
from wardround.reports.unreviewed_groups import unreviewed_groups
from wardround.review_result import ReviewResult
from wardround.text.escaping import defuse_commands, one_line

BUDGET = 10
"""Maximum number of annotations of one kind in one step."""
_MAX_MESSAGE = 4_000
_MAX_TITLE = 200
_NAMED_FILES = 3
_MISSING_TOOLS = "missing tools"
_KINDS = {Severity.ERROR: "error", Severity.WARN: "warning", Severity.INFO: "notice"}
_ORDER = (Status.NEW, Status.CAUSED, Status.EXISTING)
_NOTE = {Status.CAUSED: " (caused by this change)", Status.EXISTING: " (was there before)"}


class Annotation(msgspec.Struct, frozen=True):
    """One workflow command."""

    kind: str
    message: str
    properties: Mapping[str, str | int]

    def __str__(self) -> str:
        given = ",".join(f"{name}={_property(str(value))}" for name, value in self.properties.items())
        return f"::{self.kind}{' ' if given else ''}{given}::{_escape(self.message)}"


def render(review: ReviewResult) -> str:
    """Return the annotations, most severe first, then one line for the log."""
    folds = review.config.root.fold and not review.request.show_all
    shown = [finding for finding in review.visible if not (finding.is_folded and folds)]
    expected = [
        *_unreviewed_warnings(review.unreviewed),
        *_annotations(shown, {} if review.change.all_files else _NOTE),
        *_repetitions(review),
    ]
    annotations, held_back = _limit_annotations(expected)
    lines = [str(annotation) for annotation in annotations]
    if held_back:
        lines.append(str(Annotation("notice", _omitted_annotations(held_back), {"title": "wardround"})))
    folded = len(review.visible) - len(shown)
    summary = summary_line(review) + (f", {folded} folded" if folded else "")
    lines += _escape_workflow_commands(summary, review.context.id)
    return "\n".join(lines) + "\n"


def _annotations(findings: Sequence[Finding], notes: Mapping[Status, str]) -> list[Annotation]:
    """Return the findings that are not waived, by severity, then new before caused, then by position.

    Args:
        notes: status -> an addition to the message.
    """
    reported = [f for f in findings if f.status is not Status.SUPPRESSED]
    reported.sort(key=lambda f: (-f.severity, _ORDER.index(f.status), f.sort_key))
    return [_annotation(finding, notes.get(finding.status, "")) for finding in reported]


def _annotation(finding: Finding, note: str) -> Annotation:
    parts = [finding.message + note, " ".join(finding.rationale.split())]
    parts += [] if finding.claim is None else [second_pass_text(finding.claim)]
    also = [source for source in finding.sources if source != finding.rule]
    parts += [f"Also: {', '.join(also)}" if also else "", finding.url or ""]
    return Annotation(
        _KINDS[finding.severity],
        truncate("\n".join(_safe(part) for part in parts if part), _MAX_MESSAGE),
        {"file": _safe(finding.file), **_span_fields(finding.span), "title": _title(finding.rule)},
    )


def _repetitions(review: ReviewResult) -> Iterator[Annotation]:
    for note in repetition_notes(review.conclusion.evidence.notes_of(Repetitions)):
        location: dict[str, str | int] = {
            "file": _safe(note.path),
            "line": note.line,
            "endLine": note.end_line,
        }
        yield Annotation("notice", truncate(_safe(note.message), _MAX_MESSAGE), {**location, "title": RULE})


def _span_fields(span: Span) -> dict[str, int]:
    last = span.end_line - 1 if span.end_column == 1 and span.end_line > span.line else span.end_line
    if last > span.line:
        return {"line": span.line, "endLine": last}
    location = {"line": span.line, "endLine": span.line, "col": span.column}
    if span.end_line == span.line:
        location["endColumn"] = max(span.column, span.end_column - 1)
    return location


def _title(text: str) -> str:
    return truncate(_safe(text), _MAX_TITLE)


def _unreviewed_warnings(unreviewed: Sequence[Unreviewed]) -> list[Annotation]:
    """Return one warning for each reason; a file that was not reviewed must not look clean, so these come
    first.
    """
    found = []
    for group in unreviewed_groups(unreviewed):
        files = [_safe(file) for file in group.files]
        more = f" and {len(files) - _NAMED_FILES} more" if len(files) > _NAMED_FILES else ""
        text = f"not reviewed: {', '.join(files[:_NAMED_FILES])}{more}: {_safe(group.reason)}"
        location = {"file": files[0]} if len(files) == 1 else {}
        title = _title(group.tool or _MISSING_TOOLS)
        found.append(Annotation("warning", truncate(text, _MAX_MESSAGE), {**location, "title": title}))
    return found


def _limit_annotations(expected: Sequence[Annotation]) -> tuple[list[Annotation], Counter[str]]:
    """Return the annotations within the limit, by kind, and the number of omitted ones of each kind."""
    counts = Counter(annotation.kind for annotation in expected)
    room = Counter(dict.fromkeys(_KINDS.values(), BUDGET))
    if any(counts[kind] > room[kind] for kind in counts):
        room["notice"] -= 1  # the one that reports the omissions
    shown = []
    for kind in _KINDS.values():
        shown += [annotation for annotation in expected if annotation.kind == kind][: room[kind]]
    return shown, counts - room


def _omitted_annotations(held_back: Counter[str]) -> str:
    named = [
        f"{held_back[kind]} {kind}{'' if held_back[kind] == 1 else 's'}"
        for kind in _KINDS.values()
        if held_back[kind]
    ]
    total = held_back.total()
    return (
        f"{total} {'is' if total == 1 else 'are'} not shown here, because GitHub accepts {BUDGET} of a kind "
        f"from one step: {', '.join(named)}. The text, JSON and SARIF reports have all of them."
    )


def _escape_workflow_commands(text: str, context_id: str) -> list[str]:
    """Escape text for the log so that the runner finds no commands in it."""
    safe = _safe(text)
    for attempt in count():
        token = hashlib.sha256(f"{context_id}\0{safe}\0{attempt}".encode()).hexdigest()
        if token not in safe:
            return [f"::stop-commands::{token}", safe, f"::{token}::"]
    raise AssertionError("unreachable: count() has no end")


def _safe(text: str) -> str:
    """Return a line in which the runner finds no command, whichever line of the log it becomes."""
    return defuse_commands(one_line(text))


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
