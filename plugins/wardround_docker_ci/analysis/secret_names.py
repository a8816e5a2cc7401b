"""Names that denote a secret, and values that are not a real secret."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from wardround.checks.lazy import LazyPattern
from wardround.text.tokens import parts

_SECRET_PARTS = frozenset(
    {
        "password", "passwd", "passphrase", "pword", "secret", "secrets", "token", "apikey",
        "credential", "credentials", "creds",
    }
)  # fmt: skip
_RUN_TOGETHER = (
    "password", "passwd", "passphrase", "apikey", "secretkey", "accesskey", "privatekey", "sshpass", "dbpass",
    "secret", "token",
)  # fmt: skip
_SECRET_AT_END = frozenset({"pat", "pass", "pwd", "salt"})
"""Words for a secret as the last of several words; ``PWD`` alone is the working directory."""
_KEYS = frozenset({"key", "keys"})
_SECRET_KEYS = frozenset({"secret", "private", "signing", "encryption"})
"""Words anywhere in a name that make any key secret."""
_OTHER_KEYS = frozenset(
    {
        "public", "publishable", "site", "primary", "foreign", "sort", "cache", "partition", "row", "range",
        "hash", "unique", "composite", "index", "group", "order", "lookup", "join", "shard", "routing",
        "distribution", "cluster", "map", "dict", "json", "config", "settings", "setting", "option",
        "registry", "object", "bucket", "blob", "queue", "topic", "message", "idempotency",
        "dedup", "translation", "locale", "i18n", "feature", "flag", "metric", "tag", "label", "hot",
        "host", "known", "gpg", "trusted", "apt", "color", "region", "project", "template", "search",
    }
)  # fmt: skip
"""Words before ``key`` of what is found, sorted or shown by it, or public; any other key is a secret."""
_DEPLOYMENTS = frozenset(
    {
        "dev", "development", "prod", "production", "stage", "staging", "test", "testing", "local", "live",
        "sandbox", "preview", "ci", "old", "new", "backup", "base64", "value", "contents", "json",
    }
)  # fmt: skip
"""Words at the end of a name that state where its value is valid, or the form of the value."""
# A last word that makes the name describe the secret rather than hold it.
_ABOUT = frozenset(
    {
        "file", "files", "path", "dir", "url", "uri", "endpoint", "name", "id", "ids", "type",
        "length", "ttl", "expiry", "expiration", "expires", "lifetime", "timeout", "issuer",
        "policy", "user", "username", "host", "port", "enabled", "required", "version",
        "prefix", "suffix", "header", "field", "mount", "ref", "arn", "algorithm", "min", "max",
        "limit", "count", "size", "hash", "mode", "provider", "store", "manager", "location",
        "server", "service", "scope", "scopes", "audience", "key", "format", "rotation", "hint",
        "env", "var", "est", "estimate", "usage", "class", "label", "seconds", "minutes", "hours", "days",
        "secs", "sec", "ms", "duration", "period", "interval", "age", "expire", "leeway", "budget", "bytes",
        "chars", "tokens", "rate", "window", "retries", "attempts", "strength", "pattern", "regex",
        "allowed", "in", "iterations", "rounds", "alg", "algorithms", "disabled", "check", "checks",
        "domains",        "method", "methods", "hosts", "ips", "cost", "login", "reset", "expired",
    }
)  # fmt: skip
_PUBLIC = frozenset(
    {"public", "publishable", "anon", "max", "min", "num", "no", "has", "use", "is", "allow", "disable"}
)
_PLACEHOLDER = LazyPattern(
    r"change|example|placeholder|dummy|sample|default|your|todo|fake|test|local|secret|password|passwd|passw0rd"
    r"|token|insert|replace|redacted|mock|x{4,}|\*{3,}|\.{3}|123|abc|foobar|hunter2|qwerty|letmein|not.?a|none|null|empty",
    re.IGNORECASE,
)
_NAMED_AFTER = LazyPattern(
    r"postgres|admin|root|mysql|redis|mariadb|mongo|rabbit|minio|guest|demo|dev|docker|keycloak|grafana",
    re.IGNORECASE,
)
"""Product and account names that protect nothing as values; a long value with one may still be a secret."""
_MUCH_ELSE = 8
_FILLED_IN = LazyPattern(r"\$|\{\{|<[^<>]+>|%\w+%|@\w+@|^(?:file|vault|op|ssm|env|secret|ref)[:+]")
_SETTING = LazyPattern(r"-?\d+(?:\.\d+)?(?:ms|[smhdkbw%]|min|days?)?|true|false|yes|no|on|off", re.IGNORECASE)
_ENTROPY_BITS = 3.0
"""Per character; English words of the length of a secret stay below."""

_SHORTEST = 8
_LONG = 20
_ONE_CHARACTER = 0.3
"""Share of the most common character; in random values of 20 characters it stays below a quarter."""


def is_secret_name(name: str) -> bool:
    """Return True if a name denotes a secret: ``NPM_TOKEN``, ``APP_KEY``, not ``TOKEN_URL``."""
    words = parts(name)
    if words[-2:] == ["application", "credentials"]:  # by convention a path
        return False
    while len(words) > 1 and (words[-1] in _DEPLOYMENTS or words[-1].isdigit()):
        words.pop()
    if not words or words[-1] in _ABOUT - _KEYS or _PUBLIC.intersection(words):
        return False
    if words[-1] in _KEYS:
        return _is_secret_key(words)
    if len(words) > 1 and words[-1] in _SECRET_AT_END:
        return words[0] not in ("old", "init", "by", "first", "second")
    return bool(_SECRET_PARTS.intersection(words)) or any(word.endswith(_RUN_TOGETHER) for word in words)


def _is_secret_key(words: Sequence[str]) -> bool:
    """Return True for the words of a key that is not public, nor what something is found by."""
    if len(words) < 2:
        return False
    return words[-2] not in _OTHER_KEYS or not _SECRET_KEYS.isdisjoint(words)


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
    if len(text) < _SHORTEST or is_placeholder(text) or re.search(r"\s", text):
        return False
    if _is_typed(text):
        return False
    if text.lower() in ("true", "false") or re.fullmatch(r"[\d.,:-]+|[a-z]+://[^@]*|/[\w./-]*", text):
        return False
    kinds = sum(bool(re.search(p, text)) for p in ("[a-z]", "[A-Z]", r"\d", r"[^\w]"))
    return kinds >= 2 and bool(re.search(r"\d", text)) and _entropy(text) >= _ENTROPY_BITS


def _is_typed(text: str) -> bool:
    """Return True if a person made a value up: one character is most of it, as in ``1x2x3x4x``."""
    return len(text) >= _LONG and max(Counter(text).values()) >= _ONE_CHARACTER * len(text)


def _entropy(text: str) -> float:
    counts = Counter(text).values()
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts)


def masked(value: str) -> str:
    """Return the part of a secret that may be shown."""
    return value[:2] + "..." if len(value) > _SHORTEST else "..."
