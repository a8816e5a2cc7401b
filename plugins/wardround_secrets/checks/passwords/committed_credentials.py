from __future__ import annotations

import binascii
import re
from collections.abc import Iterator, Set

from wardround.findings import Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_secrets.detection import value_filters
from wardround_secrets.detection.random_values import is_random
from wardround_secrets.detection.scanner import ScannedText, SecretCheck, SecretMatch

_FILES = (
    (
        LazyPattern(r"(?:^|/)\.?npmrc$|(?:^|/)\.yarnrc(?:\.yml)?$", re.IGNORECASE),
        LazyPattern(
            r"(?:_authToken|_auth|_password|npmAuthToken"
            r"|npmAuthIdent)[ \t]*[=:][ \t]*[\"']?([^\s\"']{6,400})"
        ),
    ),
    (
        LazyPattern(r"(?:^|/)[._]netrc$", re.IGNORECASE),
        LazyPattern(r"\bpassword[ \t\n]+(\S{4,200})"),
    ),
    (
        LazyPattern(r"(?:^|/)\.pypirc$", re.IGNORECASE),
        LazyPattern(r"(?m)^[ \t]*password[ \t]*[=:][ \t]*(\S{4,400})"),
    ),
    (
        LazyPattern(r"(?:^|/)\.pgpass$", re.IGNORECASE),
        LazyPattern(r"(?m)^[^:\n#]*:[^:\n]*:[^:\n]*:[^:\n]*:(\S{3,200})$"),
    ),
    (LazyPattern(r"(?:^|/)\.htpasswd$", re.IGNORECASE), LazyPattern(r"(?m)^[^:\n#]+:(\S{13,200})$")),
    (
        LazyPattern(
            r"(?:^|/)\.docker/config\.json$|(?:^|/)\.?dockercfg$|(?:^"
            r"|/)\.dockerconfigjson$",
            re.IGNORECASE,
        ),
        LazyPattern(r'"(?:auth|identitytoken|password)"\s*:\s*"([^"\n]{6,4000})"'),
    ),
)
_HEADER = LazyPattern(
    r"authorization[\"']?\]?\s{0,4}(?::|,|=>?)\s{0,4}[\"'`]?\s?(?:(basic|bearer|token(?:\stoken=)?"
    r"|api-?key|key|bot|ssws|splunk|geniekey)\s{1,2}[\"'`]?\s?(?:\+\s?[\"'`])?)?([A-Za-z0-9+/=._~-]{8,2000})",
    re.IGNORECASE,
)
_KEY_HEADER = LazyPattern(
    r"(?<=[\"'`])(?:x-(?:[a-z]+-){0,4}(?:key|token|secret|auth)|private-token|api-key|apikey|job-token)[\"'`]?\]?"
    r"\s{0,4}(?::|,|=>?)\s{0,4}[\"'`]?(?P<value>[A-Za-z0-9+/=._~-]{16,400})(?=[\"'`\s]|$)",
    re.IGNORECASE,
)
_LOCAL = LazyPattern(r"https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0)\b")
_LOCAL_ENDPOINT = LazyPattern(
    r"^[ \t]*[\"']?(?:endpoint|base_?url|url|host|server|target)[\"']?[ \t]*[:=][ \t]*[\"']?"
    r"https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0)\b",
    re.IGNORECASE | re.MULTILINE,
)
"""Address of a server on the same machine, in the settings of a program that sends requests to it."""
_SETTINGS = (".yml", ".yaml", ".toml", ".ini", ".json")
_KEY_HEADERS = (b"x-", b"private-token", b"api-key", b"apikey", b"job-token")


class CommittedCredentials(SecretCheck):
    """A credential file or an Authorization header with a credential is committed.

    Anyone who can read the repository can log in with it for as long as it is valid. Change the password or
    revoke the token; keep the file out of git, or replace the value by a variable.
    """

    ID = "SE009"
    NAME = "committed-credentials"
    ANCHORS = (b"authorization", *_KEY_HEADERS)
    VALID = [
        code(
            """
            //npm.acme.dev/:_authToken=${NPM_TOKEN}
            """,
            path=".npmrc",
        ),
        code(
            """
            machine api.acme.dev login ci password changeme
            """,
            path=".netrc",
        ),
    ]
    INVALID = [
        code(
            """
            //npm.acme.dev/:_authToken=«\x65f98e64b45675670d0886315»
            """,
            path=".npmrc",
        ),
        code(
            """
            machine api.acme.dev login ci password «\x4bestrel.88»
            """,
            path="ci/.netrc",
        ),
    ]

    @classmethod
    def is_possible(cls, path: str, anchors: Set[bytes]) -> bool:
        return super().is_possible(path, anchors) or any(name.search(path) for name, _ in _FILES)

    @classmethod
    def find(cls, text: ScannedText) -> Iterator[SecretMatch]:
        for name, shape in _FILES:
            if name.search(text.path):
                yield from _secrets_in_file(text, shape)
        for location in text.offsets_of(b"authorization"):
            header = _HEADER.match(text.text, location)
            if header is not None and not _is_for_local_server(text, location):
                yield from _secrets_in_header(header)
        yield from _key_headers(text)


def _secrets_in_file(text: ScannedText, shape: LazyPattern) -> Iterator[SecretMatch]:
    for match in shape.finditer(text.text):
        if not _is_harmless(match[1]):
            yield SecretMatch(*match.span(1), "committed credential (***): change it, then remove it")


def _secrets_in_header(header: re.Match[str]) -> Iterator[SecretMatch]:
    kind = header[1] or "token"
    if _is_credential(kind.lower(), header[2]):
        message = f"Authorization header with a {kind} credential (***): change it, then remove it"
        yield SecretMatch(*header.span(2), message, Severity.WARN)


def _key_headers(text: ScannedText) -> Iterator[SecretMatch]:
    """Yield request headers whose name denotes a key."""
    seen: set[int] = set()
    for word in _KEY_HEADERS:
        for location in text.offsets_of(word):
            match = _KEY_HEADER.match(text.text, location)
            if match is not None and match.start("value") not in seen and is_random(match["value"]):
                seen.add(match.start("value"))
                yield SecretMatch(
                    *match.span("value"),
                    "request header contains a key (***): rotate it, then remove it",
                    Severity.WARN,
                )


def _is_for_local_server(text: ScannedText, offset: int) -> bool:
    """Return True if a header is sent to a server on the same machine."""
    if _LOCAL.search(text.line_of(offset)):
        return True
    return text.path.endswith(_SETTINGS) and _LOCAL_ENDPOINT.search(text.text) is not None


def _is_harmless(value: str) -> bool:
    return value_filters.is_no_secret(value)


def _is_credential(kind: str, value: str) -> bool:
    if kind != "basic":
        return is_random(value)
    try:
        user, colon, password = binascii.a2b_base64(value, strict_mode=True).decode().partition(":")
    except (binascii.Error, ValueError):
        return False
    return bool(colon) and len(password) >= 6 and not _is_harmless(password) and password != user
