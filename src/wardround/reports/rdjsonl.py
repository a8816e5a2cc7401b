"""``rdjsonl``, the Reviewdog Diagnostic Format with a diagnostic on each line.

reviewdog reads lines with a buffer of 64 KiB, and silently stops at a longer one. A suggestion that makes a
line too long is left out.

Source: ``parser/rdjsonl.go`` of reviewdog.
"""

from __future__ import annotations

from typing import Any

import msgspec

from wardround.reports.rdjson import SOURCE, diagnostics
from wardround.review_result import ReviewResult
from wardround.text.escaping import json_text

MAX_LINE = 60_000
"""The maximum number of bytes of a line with a suggestion; without one, all texts are cut."""


def render(review: ReviewResult) -> str:
    """Return the report as JSON Lines; empty without diagnostics."""
    return "".join(f"{_line(diagnostic)}\n" for diagnostic in diagnostics(review))


def _line(diagnostic: dict[str, Any]) -> str:
    line = _encode({**diagnostic, "source": SOURCE})
    if len(line.encode()) <= MAX_LINE:
        return line
    return _encode({**diagnostic, "source": SOURCE, "suggestions": []})


def _encode(diagnostic: dict[str, Any]) -> str:
    return json_text(msgspec.json.encode(diagnostic))
