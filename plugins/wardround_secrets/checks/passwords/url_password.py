from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.findings import Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_secrets.detection import value_filters
from wardround_secrets.detection.passwords import is_password
from wardround_secrets.detection.random_values import is_random
from wardround_secrets.detection.scanner import ScannedText, SecretCheck, SecretMatch

_URL = LazyPattern(
    r"://(?P<user>[^\s/@:\"'`<>(){}\[\]$%,;]{0,80}):(?P<password>[^\s/@:\"'`<>,;]{3,200})@"
    r"(?P<host>[A-Za-z0-9_.-]+)"
)
_QUERY = LazyPattern(
    r"(?<=[\w/])[?&](?:[\w-]{0,20}(?:token|secret|password|api_?key|apikey|auth_?key|access_?key)|key|auth|appid|sig)="
    r"(?P<value>[A-Za-z0-9_.~+/-]{16,200})(?=[\"'`\s&<)\\]|$)",
    re.IGNORECASE,
)
_IN_QUERY = (b"token=", b"secret=", b"password=", b"key=", b"auth=", b"appid=", b"sig=")
_SCHEME = LazyPattern(r"[A-Za-z][A-Za-z0-9+.-]{1,30}\Z")
_EXAMPLE_HOST = LazyPattern(
    r"example|localhost|\A127\.|\A0\.0\.0\.0|\Ahost\b|host\.docker"
    r"|\.(?:test|invalid|localdomain)\Z|your|foo|\Adomain\.|\Asome|\Amy(?!sql)|\Aba[rz]\.",
    re.IGNORECASE,
)
_WITHIN_A_NETWORK = LazyPattern(
    r"\A10\.|\A192\.168\.|\A172\.(?:1[6-9]|2\d|3[01])\.|\.(?:local|internal|lan|svc|corp|intra)\Z|\.svc\.",
    re.IGNORECASE,
)
"""Private hosts, of a company network or a local set-up: only the password distinguishes them."""
_NO_PASSWORDS = frozenset({"x-oauth-basic", "x-access-token", "oauth2"})
_NAMED_BY_ACCOUNT = frozenset({"cloudinary"})
"""Schemes whose URLs have an account name in the host position."""
_LONG = 12
_VARIED = 3.0
"""Minimum entropy, in bits a character, of a random password of twelve characters."""


class UrlPassword(SecretCheck):
    """A URL contains a password.

    URLs appear in logs, process lists and error messages, and this one in the history of the repository as
    well. Change the password, and build the URL from settings that are not committed.
    """

    ID = "SE003"
    NAME = "url-password"
    ANCHORS = (b"://",)
    IN_GENERATED = True
    SEVERITY = Severity.WARN
    VALID = [
        code("""
            URL = "postgres://postgres:postgres@localhost:5432/app"
        """),
        code("""
            URL = f"postgres://{user}:{password}@db.acme.dev/app"
        """),
    ]
    INVALID = [
        code("""
            URL = "postgres://app:«\x6dpb9ltXLV8izVipC»@db.acme.dev/app"
        """),
        code(
            """
            CELERY_BROKER=amqps://worker:«\x4bestrel.71»@mq.acme.dev/jobs
            """,
            path=".env",
        ),
    ]

    @classmethod
    def find(cls, text: ScannedText) -> Iterator[SecretMatch]:
        if text.is_bundled:
            return
        for match in _URL.finditer(text.text):
            scheme = _SCHEME.search(text.text, max(0, match.start() - 30), match.start())
            user, password, host = match["user"], match["password"], match["host"]
            if scheme is None or _is_harmless(scheme[0].lower(), user, password, host):
                continue
            is_random = _is_random_password(password)
            yield SecretMatch(
                *match.span("password"),
                f"password in a {scheme[0]} URL of {_short(host)}: change it, then remove it",
                Severity.ERROR if is_random else None,
            )
        yield from _query_keys(text)


def _query_keys(text: ScannedText) -> Iterator[SecretMatch]:
    """Yield keys in the query string of a URL."""
    for match in _QUERY.finditer(text.text) if any(word in text.lower for word in _IN_QUERY) else ():
        line = text.line_of(match.start())
        if "://" in line and is_random(match["value"]) and not _EXAMPLE_HOST.search(line):
            yield SecretMatch(
                *match.span("value"), "key in the query string of a URL (***): rotate it, then remove it"
            )


def _is_random_password(password: str) -> bool:
    return (
        len(password) >= _LONG
        and value_filters.entropy(password) >= _VARIED
        and not value_filters.is_wordy(password)
    )


def _is_harmless(scheme: str, user: str, password: str, host: str) -> bool:
    if _EXAMPLE_HOST.search(host):
        return True
    if "." not in host.strip(".") and scheme not in _NAMED_BY_ACCOUNT:
        return True
    has_real_password = _is_random_password(password) or is_password(password)
    if _WITHIN_A_NETWORK.search(host) and not has_real_password:
        return True
    if password.lower() == user.lower() or password.isdigit() or password in _NO_PASSWORDS:
        return True
    return value_filters.is_no_secret(password)


def _short(name: str) -> str:
    return name if len(name) <= 40 else f"{name[:37]}..."
