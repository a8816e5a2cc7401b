"""Markers in comments: invisible first lines by which a later run finds what an earlier one wrote.

A marker counts only in a comment of this account, and only as its first lines: quoted or forged elsewhere, it
has no meaning.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

SUMMARY = "<!-- wardround:summary -->"
_FINDING = re.compile(r"<!-- wardround:finding:([0-9a-f]{16}) -->(?:\r?\n|\Z)")
_RESOLVED = re.compile(
    re.escape(SUMMARY) + r"\r?\n<!-- wardround:resolved:([0-9a-f,]{0,20000}) -->(?:\r?\n|\Z)"
)
_MOST_RESOLVED = 1_000
"""A fourth of the longest comment."""


def finding_marker(fingerprint: str) -> str:
    """Return the first line of a comment about a finding."""
    return f"<!-- wardround:finding:{fingerprint} -->"


def marked_finding(body: str) -> str:
    """Return the fingerprint of the finding that a comment is about; empty if it is about none."""
    found = _FINDING.match(body)
    return found[1] if found else ""


def summary_marker(resolved: Sequence[str]) -> str:
    """Return the first lines of a summary.

    Args:
        resolved: fingerprints of the findings whose threads this account resolved, the latest last.
    """
    if not resolved:
        return SUMMARY
    return f"{SUMMARY}\n<!-- wardround:resolved:{','.join(resolved[-_MOST_RESOLVED:])} -->"


def is_summary(body: str) -> bool:
    """Return True if a comment is the summary."""
    return body.startswith(SUMMARY)


def marked_resolved(body: str) -> frozenset[str]:
    """Return the fingerprints whose threads were resolved when a summary was written."""
    found = _RESOLVED.match(body)
    return frozenset(found[1].split(",")) if found else frozenset()
