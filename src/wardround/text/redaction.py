"""Parts of texts that may be tokens, which nothing may print or store."""

from __future__ import annotations

from wardround.checks.lazy import LazyPattern

_TOKEN_LIKE = LazyPattern(r"[A-Za-z0-9_-]{20,}")


def may_contain_token(text: str) -> bool:
    """Return True if a text contains a run of characters as long as a token, with a digit among them."""
    return any(map(_has_digit, _TOKEN_LIKE.findall(text)))


def redact_tokens(text: str) -> str:
    """Return a text without anything that could be a token."""
    return _TOKEN_LIKE.sub(lambda run: "***" if _has_digit(run.group()) else run.group(), text)


def _has_digit(run: str) -> bool:
    return any(map(str.isdigit, run))
