"""``rdjson``, the Reviewdog Diagnostic Format as one document.

Columns count bytes of UTF-8. A suggestion replaces whole lines and names no columns, because reviewdog takes
the columns of a suggestion into account on GitHub and not on GitLab.

Sources: ``proto/rdf`` and ``parser`` of reviewdog, and its services for GitHub and GitLab.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from wardround.change.encoding import escape_undecodable
from wardround.findings import Severity
from wardround.reports.entries import Entry, entries
from wardround.reports.head_lines import HeadLines, utf8_widths
from wardround.reports.line_replacement import line_replacement
from wardround.review_result import ReviewResult
from wardround.text.escaping import json_text, one_line

SOURCE = {"name": "wardround"}
_SEVERITY = {Severity.INFO: "INFO", Severity.WARN: "WARNING", Severity.ERROR: "ERROR"}


def render(review: ReviewResult) -> str:
    """Return the report as one JSON document."""
    encoded = msgspec.json.encode({"source": SOURCE, "diagnostics": list(diagnostics(review))})
    return json_text(msgspec.json.format(encoded, indent=1)) + "\n"


def diagnostics(review: ReviewResult) -> Iterator[dict[str, Any]]:
    """Yield the diagnostics of a review."""
    lines = HeadLines(review.text_of, utf8_widths)
    for entry in entries(review):
        yield _diagnostic(entry, lines)


def _diagnostic(entry: Entry, lines: HeadLines) -> dict[str, Any]:
    code = {"value": entry.rule}
    if entry.url:
        code["url"] = entry.url
    diagnostic = {
        "message": one_line(entry.text),
        "location": {"path": entry.path, "range": _range(entry, lines)},
        "severity": _SEVERITY[entry.severity],
        "code": code,
    }
    suggestion = _suggestion(entry, lines)
    return diagnostic if suggestion is None else {**diagnostic, "suggestions": [suggestion]}


def _range(entry: Entry, lines: HeadLines) -> dict[str, dict[str, int]]:
    """Return the span in bytes; without the text of its lines, only the lines."""
    span, path = entry.span, entry.file
    start = lines.column(path, span.line, span.column) if entry.has_columns else None
    end = lines.column(path, span.end_line, span.end_column) if entry.has_columns else None
    if start is None or end is None:
        return {"start": {"line": span.line}, "end": {"line": entry.last_line}}
    return {"start": {"line": span.line, "column": start}, "end": {"line": span.end_line, "column": end}}


def _suggestion(entry: Entry, lines: HeadLines) -> dict[str, Any] | None:
    if entry.fix is None or any(edit.file != entry.file for edit in entry.fix.edits):
        return None
    replacement = line_replacement(lines.lines(entry.file), entry.fix.edits)
    if replacement is None:
        return None
    affected = {"start": {"line": replacement.line}, "end": {"line": replacement.end_line}}
    return {"range": affected, "text": escape_undecodable(replacement.text)}
