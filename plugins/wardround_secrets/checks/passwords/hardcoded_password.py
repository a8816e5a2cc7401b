"""SE005."""

from __future__ import annotations

from collections.abc import Iterator

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround_secrets.detection import value_filters
from wardround_secrets.detection.scanner import ScannedText, SecretCheck, SecretMatch

_PASSWORD = LazyPattern(
    r"(?i:pass(?:w(?:or)?d|phrase|wd)s?(?:[_-]?(?:prod(?:uction)?|live|staging|default|value|\d+))*$|pwd$)"
    r"|(?:(?<![a-z])pass|[a-z]Pass|(?<![A-Za-z])PASS|(?<![a-z])pw|(?<![A-Za-z])PW|pepper|PEPPER)$"
    r"|(?i:(?:jwt|session|cookies?|client|app|webhook|signing|auth|shared|hmac|encryption|oauth|token|api|admin|refresh)"
    r"[_-]?secret(?:[_-]?(?:key|prod|live|value|\d+))?s?$|(?:jwt|signing|encryption|hmac|master|cookies?)[_-]?keys?$"
    r"|(?<![a-z])secret_?key(?:_base)?$)"
)
_SHAPE = LazyPattern(r"(?=.*[A-Za-z])(?:(?=.*\d)|(?=.*[a-z])(?=.*[A-Z])(?=.*[^A-Za-z0-9]))[!-~]{7,40}")
_NO_PASSWORD = LazyPattern(
    r"[\w+.-]+://|\.?/|\w+@\w+\.|\w+\(|[A-Z0-9_]+$|[A-Za-z_]\w*(?:\??\.[A-Za-z_]\w*)+$|[\d.,:/-]+$"
    r"|\d{4}-\d\d|sha\d"
    r"|\$\d|pbkdf|argon|scrypt|ENC|\{|--|#|[a-z]+(?:[-_][a-z]+)+\d?$|[a-z]+[A-Z]\w*\d?$|rgba?\(|v\d"
)


class HardcodedPassword(SecretCheck):
    """A password is written in the source.

    Everybody with a copy of the repository can log in with it, and so can whoever finds the history later.
    Change the password, and read the new one from the environment or a secret store.
    """

    ID = "SE005"
    NAME = "hardcoded-password"
    SEVERITY = Severity.WARN
    VALID = [
        code("""
            password = getpass()
        """),
        code("""
            password = "changeme123"
        """),
    ]
    INVALID = [
        code("""
            password = "«\x42lauwal.4711»"
        """),
        code("""
            connect(host="db", user="app", password="«\x68unter2»")
        """),
    ]

    @classmethod
    def find(cls, text: ScannedText) -> Iterator[SecretMatch]:
        for given in text.assignments:
            if names_a_password(given.name) and is_password(given.value):
                name = given.name[-40:].lstrip(".-_")
                yield SecretMatch(
                    given.start,
                    given.end,
                    f"{name} is written in the source (***): change it, then remove it",
                )


def names_a_password(name: str) -> bool:
    """Whether a name says that it is given a password."""
    return _PASSWORD.search(name) is not None


def is_password(value: str) -> bool:
    """Whether a value is a password somebody chose to protect something with."""
    return (
        _SHAPE.fullmatch(value) is not None
        and _NO_PASSWORD.match(value) is None
        and not value_filters.is_filled_in_later(value)
        and not value_filters.is_made_up(value)
        and not value_filters.has_stop_word(value)
        and not value_filters.is_uuid(value)
        and not (value_filters.is_wordy(value) and not any(char.isdigit() for char in value))
    )
