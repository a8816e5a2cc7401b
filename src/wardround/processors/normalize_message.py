"""Messages of tools, normalised so that two runs give the same text."""

from __future__ import annotations

import re

from wardround.lazy import LazyPattern

_VOLATILE = (
    (LazyPattern(r"(thread '[^']*') \(\d+\)"), r"\1"),
    (LazyPattern(r"\b(pid|tid|process|thread)(\s*[=:#]?\s*)\d+", re.IGNORECASE), r"\1\2..."),
    (LazyPattern(r"\b0x[0-9a-fA-F]{4,}"), "0x..."),
    (LazyPattern(r"\b\d{4}-\d\d-\d\d[T ](?=\d\d:\d\d:\d\d)"), ""),
    (LazyPattern(r"\b\d\d:\d\d:\d\d(?:[.,]\d+)?Z?"), "..."),
    (LazyPattern(r"\b\d+(?:\.\d+)?\s?(?:ms|µs|us|milliseconds)\b"), "..."),
    (LazyPattern(r"\[\d+:0x\.\.\.\]"), "[...]"),
    (LazyPattern(r"(?<![\w/])(/tmp|/var/tmp|/var/folders/\w\w/\w+/T)/[^/\s'\":,;)]+"), r"\1/..."),
)
"""Threads and processes, addresses, times, and temporary folders."""


def normalize(reason: str) -> str:
    """Return a reason without the parts that differ between two runs."""
    import tempfile  # most reviews have no reason to report

    folder = re.escape(tempfile.gettempdir())
    reason = re.sub(rf"(?<![\w/])({folder})/[^/\s'\":,;)]+", r"\1/...", reason)
    for pattern, replacement in _VOLATILE:
        reason = pattern.sub(replacement, reason)
    return reason
