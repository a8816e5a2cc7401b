"""The native format of the warnings plugin of Jenkins, one issue for each entry.

A column counts UTF-16 units, as Java does, and the last column is part of the marked text. The plugin escapes
``message``, and interprets ``description`` as HTML.

Sources: ``JsonParser`` and ``Issue`` of analysis-model; ``DetailsTableModel`` of the plugin.
"""

from __future__ import annotations

from html import escape
from typing import Any

import msgspec

from wardround.findings import Severity
from wardround.reports.entries import Entry, entries
from wardround.reports.head_lines import HeadLines, utf16_widths
from wardround.review_result import ReviewResult
from wardround.text.escaping import json_text, one_line

_SEVERITY = {Severity.INFO: "LOW", Severity.WARN: "NORMAL", Severity.ERROR: "ERROR"}


def render(review: ReviewResult) -> str:
    """Return the report as one JSON document."""
    lines = HeadLines(review.text_of, utf16_widths)
    encoded = msgspec.json.encode({"issues": [_issue(entry, lines) for entry in entries(review)]})
    return json_text(msgspec.json.format(encoded, indent=1)) + "\n"


def _issue(entry: Entry, lines: HeadLines) -> dict[str, Any]:
    return {
        "fileName": entry.path,
        "lineStart": entry.span.line,
        "lineEnd": entry.last_line,
        **_columns(entry, lines),
        "severity": _SEVERITY[entry.severity],
        "category": entry.category,
        "type": entry.rule,
        "message": one_line(entry.message),
        "description": _description(entry),
        "fingerprint": entry.fingerprint,
        "origin": "wardround",
        "additionalProperties": entry.kind,
    }


def _columns(entry: Entry, lines: HeadLines) -> dict[str, int]:
    """Return the columns of a span on one line; without them, the plugin marks the lines."""
    span = entry.span
    if not entry.has_columns or span.end_line > span.line:
        return {}
    start = lines.column(entry.file, span.line, span.column)
    end = lines.column(entry.file, span.line, span.end_column)
    if start is None or end is None:
        return {}
    return {"columnStart": start, "columnEnd": max(start, end - 1)}


def _description(entry: Entry) -> str:
    """Return the reason as HTML."""
    also = [source for source in entry.sources if source != entry.rule]
    parts = [entry.rationale, f"Also: {', '.join(also)}" if also else ""]
    paragraphs = [f"<p>{escape(one_line(part))}</p>" for part in parts if part]
    return "".join((*paragraphs, _link(escape(one_line(entry.url)))))


def _link(url: str) -> str:
    if url.startswith("https://"):
        return f'<p><a href="{url}">{url}</a></p>'
    return f"<p>{url}</p>" if url else ""
