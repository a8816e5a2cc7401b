"""Values of secrets: those that are real, and those that are placeholders or settings."""

from __future__ import annotations

import math
import re
from collections import Counter

from wardround.lazy import LazyPattern

_PLACEHOLDER = LazyPattern(
    r"change|example|placeholder|dummy|sample|default|your|todo|fake|test|local|secret|password|passwd|passw0rd"
    r"|token|insert|replace|redacted|mock|x{4,}|\*{3,}|\.{3}|123|abc|foobar|hunter2|qwerty|letmein|not.?a|none|null|empty",
    re.IGNORECASE,
)
_NAMED_AFTER = LazyPattern(
    r"postgres|admin|root|mysql|redis|mariadb|mongo|rabbit|minio|guest|demo|dev|docker|keycloak|grafana",
    re.IGNORECASE,
)
"""Product and account names that are too common to be passwords; a long value with one may still be a secret.
"""
_MUCH_ELSE = 8
_FILLED_IN = LazyPattern(r"\$|\{\{|<[^<>]+>|%\w+%|@\w+@|^(?:file|vault|op|ssm|env|secret|ref)[:+]")
_SETTING = LazyPattern(r"-?\d+(?:\.\d+)?(?:ms|[smhdkbw%]|min|days?)?|true|false|yes|no|on|off", re.IGNORECASE)
_ENTROPY_BITS = 3.0
"""Per character; English words of the length of a secret are below it."""

_SHORTEST = 8
_LONG = 20
_ONE_CHARACTER = 0.3
"""Share of the most common character; in random values of 20 characters it stays below a quarter."""


def is_setting(value: str) -> bool:
    """Return True for a number, a duration or a switch: they are not secrets."""
    return _SETTING.fullmatch(value.strip().strip("\"'")) is not None


def is_placeholder(value: str) -> bool:
    """Return True if a value is not a real secret: empty, an expression, or a word like ``changeme``."""
    text = value.strip()
    if not text or _FILLED_IN.search(text) is not None or _PLACEHOLDER.search(text) is not None:
        return True
    rest = _NAMED_AFTER.sub("", text)
    return len(rest) < len(text) and len(rest) < _MUCH_ELSE


def is_real_secret(value: str) -> bool:
    """Return True if a literal value has the length and the entropy of a real secret."""
    text = value.strip()
    if len(text) < _SHORTEST or is_placeholder(text) or _BLANK.search(text):
        return False
    if _is_typed(text) or _PLAIN_VALUE.fullmatch(text):
        return False
    if not _DIGIT.search(text) or not any(kind.search(text) for kind in _OTHER_KINDS):
        return False
    return _entropy(text) >= _ENTROPY_BITS


_BLANK = LazyPattern(r"\s")
_DIGIT = LazyPattern(r"\d")
_OTHER_KINDS = (LazyPattern("[a-z]"), LazyPattern("[A-Z]"), LazyPattern(r"[^\w]"))
_PLAIN_VALUE = LazyPattern(r"(?i:true|false)|[\d.,:-]+|[a-z]+://[^@]*|/[\w./-]*")
"""Switches, numbers, dates, URLs without an account, and paths."""


def _is_typed(text: str) -> bool:
    """Return True if a person typed a value: one character is most of it, as in ``1x2x3x4x``."""
    return len(text) >= _LONG and max(Counter(text).values()) >= _ONE_CHARACTER * len(text)


def _entropy(text: str) -> float:
    counts = Counter(text).values()
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts)


def mask(value: str) -> str:
    """Return the part of a secret that may be shown."""
    return value[:2] + "..." if len(value) > _SHORTEST else "..."
