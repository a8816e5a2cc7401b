"""The text of a comment on lines: the finding, why it matters, and a fix. All of it is escaped."""

from __future__ import annotations

import re
from collections.abc import Callable

from wardround.delivery.code_hosts.model import LineComment
from wardround.delivery.feedback.markers import finding_marker
from wardround.delivery.feedback.suggestions import Suggestions
from wardround.delivery.reported_review import ReportedFinding
from wardround.reports import truncate
from wardround.reports.markdown import rule_link
from wardround.text.escaping import markdown_code, markdown_text

_LONGEST_MESSAGE = 1_000
_LONGEST_RULE = 200
_LABELS = {"error": "Error", "warn": "Warning", "info": "Note"}


class FindingComments:
    """Writes the comments about findings of one review.

    Args:
        language: number of lines -> the language of a block of code that replaces them.
    """

    def __init__(self, suggestions: Suggestions, language: Callable[[int], str]) -> None:
        self._suggestions = suggestions
        self._language = language

    def comment(self, finding: ReportedFinding) -> LineComment:
        """Return the comment about a finding, on the lines that its suggestion replaces if it has one."""
        suggestion = self._suggestions.suggestion(finding)
        line, end_line = (
            (finding.line, finding.line) if suggestion is None else (suggestion.line, suggestion.end_line)
        )
        language = self._language(end_line - line + 1)
        block = "" if suggestion is None else _suggestion_block(suggestion.text, language)
        return LineComment(finding.file, line, end_line, _body(finding, block))


def _body(finding: ReportedFinding, suggestion: str) -> str:
    message = markdown_text(truncate(finding.message, _LONGEST_MESSAGE))
    parts = [
        f"{finding_marker(finding.fingerprint)}\n**{_LABELS[finding.severity]}:** {message}",
        markdown_text(truncate(" ".join(finding.rationale.split()), _LONGEST_MESSAGE)),
        suggestion,
        _footer(finding),
    ]
    return "\n\n".join(part for part in parts if part)


def _suggestion_block(text: str, language: str) -> str:
    """Return a block in a fence that is longer than any in the text."""
    fences = (len(run) for run in re.findall(r"`{3,}", text))
    fence = "`" * max(3, 1 + max(fences, default=2))
    return f"{fence}{language}\n{text}\n{fence}"


def _footer(finding: ReportedFinding) -> str:
    rule = truncate(finding.rule, _LONGEST_RULE)
    linked = rule_link(rule, finding.url)
    waive = markdown_code(f"wardround: ignore[{rule}] reason")
    dismiss = markdown_code("wardround: dismiss REASON")
    return (
        f"<sub>{linked} · to waive it: a comment {waive} on the line · not useful: a thumbs-down, "
        f"or a reply {dismiss}</sub>"
    )
