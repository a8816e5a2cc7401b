"""The Code Quality report of GitLab, a subset of the Code Climate specification.

GitLab stops reading at the first entry that its schema rejects, shows one entry for each fingerprint, and
reads only the first line of a location. It compares the report of the target branch with that of the merge
request.

Sources: https://docs.gitlab.com/ci/testing/code_quality/; the parser and schema of GitLab,
``code_climate.rb`` and ``codeclimate.json``; the Code Climate specification for ``type``, ``categories`` and
``content``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from wardround.findings import Plane, Severity
from wardround.reports.entries import Entry, entries
from wardround.reports.rule_address import linkable_address
from wardround.review_result import ReviewResult
from wardround.text.escaping import json_text, markdown_text, one_line

_SEVERITY = {Severity.INFO: "info", Severity.WARN: "minor", Severity.ERROR: "critical"}
_CATEGORY: Mapping[str, str] = {
    Plane.SECURITY: "Security",
    Plane.PERF: "Performance",
    Plane.CONTRACT: "Compatibility",
}
"""The categories of Code Climate; the others are ``Bug Risk``."""


def render(review: ReviewResult) -> str:
    """Return the report as one JSON array."""
    encoded = msgspec.json.encode([_issue(entry) for entry in entries(review)])
    return json_text(msgspec.json.format(encoded, indent=1)) + "\n"


def _issue(entry: Entry) -> dict[str, Any]:
    return {
        "type": "issue",
        "check_name": entry.rule,
        "description": one_line(entry.message),
        "categories": [_CATEGORY.get(entry.category, "Bug Risk")],
        "severity": _SEVERITY[entry.severity],
        "fingerprint": entry.fingerprint,
        "location": {"path": entry.path, "lines": {"begin": entry.span.line, "end": entry.last_line}},
        "content": {"body": " ".join(_explanation(entry))},
    }


def _explanation(entry: Entry) -> Iterator[str]:
    """Yield the reason, and the page of the rule."""
    if entry.rationale:
        yield markdown_text(entry.rationale)
    if address := linkable_address(entry.url):
        yield address
