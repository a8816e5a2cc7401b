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

_WITHIN = LazyPattern(
    r"(?:password|pwd|passwd)\s?=\s?(?P<open>'?)(?P<value>[^\s;&\"'`<>{}\[\]$%()|]{5,120})(?=[\s;&\"'`|]|$)",
    re.IGNORECASE,
)
_OTHERS = LazyPattern(
    r"(?:server|host|data source|datasource|user(?: ?id|name)?|uid|dbname|database|initial"
    r" catalog|endpoint|port"
    r"|account|address|jdbc|sslmode|driver)\s?[=:]",
    re.IGNORECASE,
)
_LOCAL = LazyPattern(
    r"localhost|127\.0\.0\.1|\(local\)|host\.docker|::1|0\.0\.0\.0|example\.|server=\.;", re.IGNORECASE
)
_PLACE = LazyPattern(r"%[svq]|\{\w*\}|\$\d|\?")
_FORMATTED = LazyPattern(
    r"(?P<quote>[\"'`])(?P<shape>[^\"'`\n]{0,200}(?:(?:password|pwd|passwd)\s?=\s?|://[^\s:/@\"']{1,60}:)(?:%[svq]|\{\}))"
    r"[^\"'`\n]{0,200}(?P=quote)(?:\s{0,8}\.format\(|\s{0,4}%\s{0,4}\(|\s{0,8},)(?P<rest>[^;{}]{0,400})",
    re.IGNORECASE,
)
_ARGUMENT = LazyPattern(
    r"\s*(?:b?[\"'`](?P<value>[^\"'`\n]*)[\"'`]|(?P<other>[^,\"'`()]*(?:\([^()]*\))?[^,\"'`()]*))\s*(?:,|\)|$)"
)
_KEYWORDS = b"password", b"pwd", b"passwd"
_URL_PLACEHOLDERS = b":%s", b":{}", b":%v"


class ConnectionStringPassword(SecretCheck):
    """A connection string contains a password.

    The password is embedded between a server and a database, without a variable name next to it, and anyone
    who reads the repository can log in with it. Change the password, and build the string from settings that
    are not committed.
    """

    ID = "SE013"
    NAME = "connection-string-password"
    ANCHORS = (*_KEYWORDS, *_URL_PLACEHOLDERS)
    SEVERITY = Severity.WARN
    VALID = [
        code("""
            dsn = f"host=db.acme.dev user=app password={word}"
        """),
        code("""
            dsn = "Server=localhost;User Id=sa;Password=Kestrel_88x;"
        """),
    ]
    INVALID = [
        code(
            """
            "Main": "Server=db.acme.dev;User ID=app;Password=«\x4bestrel_88x»;Encrypt=True;"
            """,
            path="appsettings.json",
        ),
        code("""
            dsn = "host=db.acme.dev user=app password=«\x4bestrel_88x» dbname=shop"
        """),
    ]

    @classmethod
    def find(cls, text: ScannedText) -> Iterator[SecretMatch]:
        for match in _passwords(text):
            message = "password in a connection string (***): change it, then remove it"
            yield SecretMatch(*match.span("value"), message)


def _passwords(text: ScannedText) -> Iterator[re.Match[str]]:
    """Yield the passwords in connection strings, literal ones first and then format arguments."""
    has_keyword = any(word in text.lower for word in _KEYWORDS)
    if has_keyword:
        for match in _WITHIN.finditer(text.text):
            if _is_secret(match["value"]) and _is_a_connection(text, match):
                yield match
    if has_keyword or any(word in text.lower for word in _URL_PLACEHOLDERS):
        yield from _format_arguments(text)


def _format_arguments(text: ScannedText) -> Iterator[re.Match[str]]:
    for call in _FORMATTED.finditer(text.text):
        argument = _inserted_password(call)
        if argument is not None and _is_secret(argument["value"]):
            yield argument


def _is_secret(value: str | None) -> bool:
    if not value or value_filters.has_stop_word(value) or value_filters.is_placeholder(value):
        return False
    return is_password(value) or is_random(value)


def _is_a_connection(text: ScannedText, match: re.Match[str]) -> bool:
    """Return True if the line contains other parts of a connection string, none of them the local host."""
    line = text.line_of(match.start())
    start = text.text.rfind("\n", 0, match.start()) + 1
    around = line[: match.start() - start] + line[match.end() - start :]
    return _OTHERS.search(around) is not None and _LOCAL.search(line) is None


def _inserted_password(match: re.Match[str]) -> re.Match[str] | None:
    """Return the argument that a format call inserts for the password."""
    location, at = len(_PLACE.findall(match["shape"])), match.start("rest")
    found = None
    for _ in range(location):
        found = _ARGUMENT.match(match.string, at, match.end("rest") + 1)
        if found is None or found.end() == at:
            return None
        at = found.end()
    return found if found is not None and found["value"] else None
