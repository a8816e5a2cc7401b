"""Markers in comments: invisible first lines by which a later run finds what an earlier one wrote.

A marker counts only in a comment of this account, and only as its first line: quoted or forged elsewhere, it
has no meaning.
"""

from __future__ import annotations

import re

SUMMARY = "<!-- wardround:summary -->"
_FINDING = re.compile(r"<!-- wardround:finding:([0-9a-f]{16}) -->(?:\r?\n|\Z)")


def finding_marker(fingerprint: str) -> str:
    """Return the first line of a comment about a finding."""
    return f"<!-- wardround:finding:{fingerprint} -->"


def marked_finding(body: str) -> str:
    """Return the fingerprint of the finding that a comment is about; empty if it is about none."""
    found = _FINDING.match(body)
    return found[1] if found else ""


def is_summary(body: str) -> bool:
    """Return True if a comment is the summary."""
    return body.startswith(SUMMARY)
