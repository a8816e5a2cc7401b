"""The summary of a CI step, made from the review itself and never from a file."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from wardround.errors import UsageError
from wardround.findings import Finding
from wardround.reports import terminal, text
from wardround.review_result import ReviewResult
from wardround.text.escaping import markdown_code, markdown_text

_MOST_FINDINGS = 100
_TABLE = "| | Place | Finding | Rule |\n|---|---|---|---|"


def render(review: ReviewResult, headline: str | None) -> str:
    """Return the outcome, the findings as a table, what was not reviewed, and the verdict, as Markdown."""
    blocks = [f"### wardround: {review.gate.outcome.value}"]
    blocks += [] if headline is None else [markdown_text(headline)]
    blocks += [*_findings(review), *_list_section("Not reviewed", _unreviewed_lines(review))]
    with terminal.disable_wrapping():
        blocks += _list_section("Notes and verdict", filter(None, map(str.strip, text.statements(review))))
    blocks.append(markdown_text(text.summary_line(review)))
    return "\n\n".join(blocks) + "\n"


def _findings(review: ReviewResult) -> list[str]:
    """Return the table of the findings, errors first, and the number of those that are excluded."""
    findings = text.shown_findings(review)
    if not findings:
        return []
    rows = map(_row, findings[:_MOST_FINDINGS])
    left = len(findings) - _MOST_FINDINGS
    return ["\n".join([_TABLE, *rows]), *([f"and {left} more in report.txt"] if left > 0 else [])]


def _row(finding: Finding) -> str:
    location = markdown_code(f"{finding.file}:{finding.span.line}")
    rule = markdown_code(finding.rule)
    is_page = finding.url is not None and re.fullmatch(r"https://[\w./#~%-]+", finding.url, re.ASCII)
    linked = f"[{rule}]({finding.url})" if is_page else rule
    return f"| {finding.severity.label} | {location} | {markdown_text(finding.message)} | {linked} |"


def _unreviewed_lines(review: ReviewResult) -> Iterator[str]:
    """Yield a line for each reason, with the number of files."""
    reasons = Counter((gap.tool, gap.reason) for gap in review.unreviewed)
    for (tool, reason), files in sorted(reasons.items()):
        who = "" if reason.startswith((f"{tool} ", "it ")) else f"{tool}: "
        first = min(gap.file for gap in review.unreviewed if (gap.tool, gap.reason) == (tool, reason))
        others = f" and {files - 1} more" if files > 1 else ""
        yield f"{first}{others}: {who}{reason}"


def _list_section(title: str, lines: Iterable[str]) -> list[str]:
    items = [f"- {markdown_text(line)}" for line in lines]
    return [f"**{title}**", "\n".join(items)] if items else []


def append(path: Path, content: str, variable: str) -> None:
    """Append to a file that the runner made, such as that for the summary of a step.

    Args:
        variable: that names the file, for the message.

    Raises:
        UsageError: it cannot be written, or is a link.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with open(os.open(path, flags, 0o600), "ab") as file:
            file.write(content.encode("utf-8", "backslashreplace"))
    except OSError as cause:
        raise UsageError(f"{variable}: {cause.strerror}; the runner must create that file") from cause
