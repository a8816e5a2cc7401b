"""Words of others as they may be repeated: what differs between two runs is left out, and so is a token."""

from __future__ import annotations

import re

from wardround.checks.lazy import LazyPattern

_CHANGING = (
    (LazyPattern(r"(thread '[^']*') \(\d+\)"), r"\1"),
    (LazyPattern(r"\b(pid|tid|process|thread)(\s*[=:#]?\s*)\d+", re.IGNORECASE), r"\1\2..."),
    (LazyPattern(r"\b0x[0-9a-fA-F]{4,}"), "0x..."),
    (LazyPattern(r"\b\d{4}-\d\d-\d\d[T ](?=\d\d:\d\d:\d\d)"), ""),
    (LazyPattern(r"\b\d\d:\d\d:\d\d(?:[.,]\d+)?Z?"), "..."),
    (LazyPattern(r"\b\d+(?:\.\d+)?\s?(?:ms|µs|us|milliseconds)\b"), "..."),
    (LazyPattern(r"\[\d+:0x\.\.\.\]"), "[...]"),
    (LazyPattern(r"(?<![\w/])(/tmp|/var/tmp|/var/folders/\w\w/\w+/T)/[^/\s'\":,;)]+"), r"\1/..."),
)
"""Threads and processes, addresses, times, and folders that are made for one run."""

_TOKEN_LIKE = LazyPattern(r"[A-Za-z0-9_-]{20,}")


def normalize(reason: str) -> str:
    """A reason without what differs between two runs."""
    import tempfile  # in most reviews there is no reason to give

    folder = re.escape(tempfile.gettempdir())
    reason = re.sub(rf"(?<![\w/])({folder})/[^/\s'\":,;)]+", r"\1/...", reason)
    for shape, shown in _CHANGING:
        reason = shape.sub(shown, reason)
    return reason


def may_contain_token(text: str) -> bool:
    """Whether a text holds what a token could be: so many signs, and a digit among them."""
    return any(map(_has_digit, _TOKEN_LIKE.findall(text)))


def redact_tokens(name: str) -> str:
    """A name without what a token could be."""
    return _TOKEN_LIKE.sub(lambda run: "***" if _has_digit(run.group()) else run.group(), name)


def _has_digit(run: str) -> bool:
    return any(map(str.isdigit, run))
