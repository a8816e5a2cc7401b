"""Names of variables and settings that denote a secret."""

from __future__ import annotations

from collections.abc import Sequence

from wardround.text.tokens import parts

_SECRETS = frozenset(
    {
        "password", "passwd", "passphrase", "passcode", "pword", "secret", "secrets", "token", "apikey",
        "credential", "credentials", "creds",
    }
)  # fmt: skip
_RUN_TOGETHER = (
    "password", "passwd", "passphrase", "apikey", "secretkey", "accesskey", "privatekey", "secret", "token",
)  # fmt: skip
_SHORT = frozenset({"pat", "pass", "pwd", "pw", "salt", "pepper", "cookie"})
"""Words for a secret as the last of several words; ``PWD`` alone is the working directory."""
_SHORT_RUN_TOGETHER = ("pass", "pwd", "pw")
_NOT_SHORT = frozenset({"bypass", "compass", "encompass", "oldpwd", "initpwd"})
_OTHER_SHORT = {
    "pass": frozenset({"old", "init", "by", "first", "second", "uwsgi", "fastcgi"}),
    "pwd": frozenset({"old", "init"}),
    "cookie": frozenset({"secure", "insecure", "session", "csrf", "ttl"}),
}
"""Words before a short one that change its meaning: a pass over data, a flag of a cookie."""
_KEYS = frozenset({"key", "keys"})
_SECRET_KEYS = frozenset({"secret", "secrets", "private", "signing", "encryption"})
"""Words anywhere in a name that make any key secret."""
_CREDENTIAL_KEYS = _SECRET_KEYS | {"api", "access", "auth", "license"}
"""Words directly before ``key`` that make it secret anywhere in the name."""
_OTHER_KEYS = frozenset(
    {
        "public", "pub", "publishable", "site", "primary", "foreign", "sort", "cache", "partition", "row",
        "range", "hash", "unique", "composite", "index", "group", "order", "lookup", "join", "shard",
        "routing", "distribution", "cluster", "map", "dict", "json", "config", "settings", "setting",
        "option", "registry", "object", "bucket", "blob", "queue", "topic", "message", "idempotency",
        "dedup", "translation", "locale", "feature", "flag", "metric", "tag", "label", "hot", "prefix",
        "host", "known", "gpg", "trusted", "apt", "color", "region", "project", "template", "search",
    }
)  # fmt: skip
"""Words before ``key`` for lookup, sort or display keys, or public ones; any other key is a secret."""
_NOT_KEYS = frozenset({"monkey", "turkey", "donkey", "hockey", "jockey", "whiskey", "valkey", "passkey"})
"""Words and names that only end like a key, or are another kind of key."""
_FORMS = frozenset(
    {
        "dev", "development", "prod", "production", "stage", "staging", "test", "testing", "local", "live",
        "sandbox", "preview", "ci", "old", "new", "backup", "value", "content", "contents", "json", "base",
        "b", "hex", "pem", "raw", "v",
    }
)  # fmt: skip
"""Words at the end that state the scope or the encoding of a value; ``base`` and ``b`` are of ``base64``."""
_ENCODED = frozenset({"json", "base", "content", "contents", "pem"})
_ABOUT = frozenset(
    {
        "file", "path", "dir", "directory", "folder", "url", "uri", "endpoint", "name", "id", "type",
        "length", "ttl", "expiry", "expiration", "expires", "lifetime", "timeout", "issuer",
        "policy", "user", "username", "host", "port", "enabled", "required", "version",
        "prefix", "suffix", "header", "field", "mount", "ref", "arn", "algorithm", "min", "max",
        "limit", "count", "size", "hash", "mode", "provider", "store", "manager", "location",
        "server", "service", "scope", "audience", "key", "format", "rotation", "hint",
        "env", "var", "est", "estimate", "usage", "class", "label", "second", "minute", "hour", "day",
        "sec", "ms", "duration", "period", "interval", "age", "expire", "leeway", "budget", "bytes",
        "char", "rate", "window", "retries", "attempt", "strength", "pattern", "regex",
        "allowed", "in", "iteration", "round", "alg", "disabled", "check", "domain", "method", "ip",
        "cost", "login", "reset", "expired", "module", "realm", "bundle", "region", "group", "role",
        "namespace", "backend", "driver", "table", "column", "param", "template", "origin", "strategy",
        "cidr", "level",
    }
)  # fmt: skip
"""Words at the end of a name that describes a secret and does not contain one; plurals count too."""
_PLACES = frozenset({"url", "uri", "endpoint", "path", "file", "host", "port", "region"})
"""Words of ``_ABOUT`` that also do so further on: ``CREDENTIALS_URL_V2``."""
_ABOUT_RUN_TOGETHER = ("path", "file", "filename", "bundle", "username", "hostname")
_NO_SECRET = frozenset(
    {
        "public", "publishable", "anon", "cors", "max", "min", "num", "no", "has", "use", "is", "allow",
        "enable", "disable", "disabled", "require", "requires", "enforce", "skip", "show", "hide", "generate",
    }
)  # fmt: skip
"""Words anywhere that mark a name as public, a number or a boolean."""
_HOLDERS = frozenset({"api", "access", "auth", "admin", "client", "bearer", "refresh", "bot", "service"})
"""Words before ``tokens`` for authentication; other tokens are those of a language."""
_CODES = (["access", "code"], ["auth", "code"])


def is_secret_name(name: str) -> bool:
    """Return True if a name denotes a secret: ``NPM_TOKEN``, ``APP_KEY``, not ``TOKEN_URL``."""
    complete = parts(name)
    if complete[-2:] == ["application", "credentials"]:  # by convention a path
        return False
    words = _strip_scope_words(complete)
    if not words or _is_about(words[-1]) or not _NO_SECRET.isdisjoint(words):
        return False
    if words[-2:] == ["service", "account"]:
        return not _ENCODED.isdisjoint(complete[len(words) :])
    return _is_secret(words)


def _strip_scope_words(words: list[str]) -> list[str]:
    """Return the words before those that state the scope, the user or the encoding of a value."""
    if "for" in words[1:]:
        words = words[: words.index("for", 1)]
    end = len(words)
    while end > 1 and (words[end - 1] in _FORMS or words[end - 1].isdigit()):
        end -= 1
    return words[:end]


def _is_about(word: str) -> bool:
    if word in _KEYS:
        return False
    return word in _ABOUT or word.removesuffix("s") in _ABOUT or word.endswith(_ABOUT_RUN_TOGETHER)


def _is_secret(words: Sequence[str]) -> bool:
    last = words[-1]
    if last in _KEYS:
        return len(words) > 1 and _is_secret_key(words[-2], words)
    if last == "tokens":
        return len(words) > 1 and words[-2] in _HOLDERS
    if _is_short(words) or list(words[-2:]) in _CODES:
        return True
    location = _last_secret(words)
    return location is not None and _PLACES.isdisjoint(words[location:])


def _is_secret_key(before: str, words: Sequence[str]) -> bool:
    """Return True for a key that is neither public nor a lookup key."""
    return before not in _OTHER_KEYS or not _SECRET_KEYS.isdisjoint(words)


def _is_short(words: Sequence[str]) -> bool:
    """Return True if a name ends with a short word for a secret, or with a compound without separator."""
    last = words[-1]
    if len(words) == 1 and last in _SHORT:
        return last == "pass"
    if last in _SHORT:
        return words[-2] not in _OTHER_SHORT.get(last, ())
    if last.endswith("key"):
        return _is_secret_key(last[:-3], words) and last not in _NOT_KEYS
    return last.endswith(_SHORT_RUN_TOGETHER) and last not in _NOT_SHORT


def _last_secret(words: Sequence[str]) -> int | None:
    """Return the index of the last word that denotes a secret by itself, or as a key."""
    for location in range(len(words) - 1, -1, -1):
        word = words[location]
        if word in _SECRETS or word.endswith(_RUN_TOGETHER):
            return location
        if word in _KEYS and location and words[location - 1] in _CREDENTIAL_KEYS:
            return location
    return None
