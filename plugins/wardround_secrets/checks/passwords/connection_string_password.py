"""SE013."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround_secrets.checks.passwords.assigned_secret import is_drawn
from wardround_secrets.checks.passwords.hardcoded_password import is_password
from wardround_secrets.detection import value_filters
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
_GIVEN = LazyPattern(
    r"\s*(?:b?[\"'`](?P<value>[^\"'`\n]*)[\"'`]|(?P<other>[^,\"'`()]*(?:\([^()]*\))?[^,\"'`()]*))\s*(?:,|\)|$)"
)
_HOST = b"password", b"pwd", b"passwd"
_URL = b":%s", b":{}", b":%v"


class ConnectionStringPassword(SecretCheck):
    """A connection string holds a password.

    It is written between a server and a database, where no variable's name stands beside it, and everybody
    who reads the repository can log in with it. Change it, and put the string together from settings that
    are not committed.
    """

    ID = "SE013"
    NAME = "connection-string-password"
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
        said = "password in a connection string (***): change it, then remove it"
        named = any(word in text.lower for word in _HOST)
        for match in _WITHIN.finditer(text.text) if named else ():
            if _is_one(match["value"]) and _is_a_connection(text, match):
                yield SecretMatch(*match.span("value"), said)
        if named or any(word in text.lower for word in _URL):
            for match in _FORMATTED.finditer(text.text):
                given = _filled_in(match)
                if given is not None and _is_one(given["value"]):
                    yield SecretMatch(*given.span("value"), said)


def _is_one(value: str | None) -> bool:
    if not value or value_filters.has_stop_word(value) or value_filters.is_made_up(value):
        return False
    return is_password(value) or is_drawn(value)


def _is_a_connection(text: ScannedText, match: re.Match[str]) -> bool:
    """Whether other parts of a connection string stand on the line, none of which names this machine."""
    line = text.line_of(match.start())
    start = text.text.rfind("\n", 0, match.start()) + 1
    around = line[: match.start() - start] + line[match.end() - start :]
    return _OTHERS.search(around) is not None and _LOCAL.search(line) is None


def _filled_in(match: re.Match[str]) -> re.Match[str] | None:
    """What takes the place of the password in a format string."""
    place, at = len(_PLACE.findall(match["shape"])), match.start("rest")
    found = None
    for _ in range(place):
        found = _GIVEN.match(match.string, at, match.end("rest") + 1)
        if found is None or found.end() == at:
            return None
        at = found.end()
    return found if found is not None and found["value"] else None
