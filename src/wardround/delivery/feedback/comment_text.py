"""The text of a comment on lines: the finding, why it matters, and a fix. All of it is escaped."""

from __future__ import annotations

import re

from wardround.delivery.code_hosts.model import LineComment
from wardround.delivery.feedback.markers import finding_marker
from wardround.delivery.feedback.suggestions import Suggestion, Suggestions
from wardround.delivery.reported_review import ReportedFinding
from wardround.reports import truncate
from wardround.text.escaping import markdown_code, markdown_text

_LONGEST_MESSAGE = 1_000
_LABELS = {"error": "Error", "warn": "Warning", "info": "Note"}
_PAGE = re.compile(r"https://[\w./#~%-]+", re.ASCII)


class FindingComments:
    """Writes the comments about findings of one review."""

    def __init__(self, suggestions: Suggestions) -> None:
        self._suggestions = suggestions

    def comment(self, finding: ReportedFinding) -> LineComment:
        """Return the comment about a finding, on the lines that its suggestion replaces if it has one."""
        suggestion = self._suggestions.suggestion(finding)
        line, end_line = (
            (finding.line, finding.line) if suggestion is None else (suggestion.line, suggestion.end_line)
        )
        return LineComment(finding.file, line, end_line, _body(finding, suggestion))


def _body(finding: ReportedFinding, suggestion: Suggestion | None) -> str:
    message = markdown_text(truncate(finding.message, _LONGEST_MESSAGE))
    parts = [
        f"{finding_marker(finding.fingerprint)}\n**{_LABELS[finding.severity]}:** {message}",
        markdown_text(truncate(" ".join(finding.rationale.split()), _LONGEST_MESSAGE)),
        "" if suggestion is None else _suggestion_block(suggestion.text),
        _footer(finding),
    ]
    return "\n\n".join(part for part in parts if part)


def _suggestion_block(text: str) -> str:
    """Return a block in a fence that is longer than any in the text."""
    fences = (len(run) for run in re.findall(r"`{3,}", text))
    fence = "`" * max(3, 1 + max(fences, default=2))
    return f"{fence}suggestion\n{text}\n{fence}"


def _footer(finding: ReportedFinding) -> str:
    rule = markdown_code(finding.rule)
    is_page = finding.url is not None and _PAGE.fullmatch(finding.url)
    linked = f"[{rule}]({finding.url})" if is_page else rule
    waive = markdown_code(f"wardround: ignore[{finding.rule}] reason")
    return f"<sub>{linked} · to waive it: a comment {waive} on the line, or a thumbs-down here</sub>"
