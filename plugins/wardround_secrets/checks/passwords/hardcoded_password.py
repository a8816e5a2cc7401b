"""SE005."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
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
    TRIED_ON = (
        "The same 1,800 commits and trees: nothing reported. Planted: 78 of 80. Human secrets, fallbacks, "
        "and notebooks as well: the trees of 43 projects, 366 MB: 30 hits in 5 "
        "of them, all given to a password; 3 are an image's default, passed over since, 7 stand in manuals"
    )
    SEVERITY = Severity.WARN
    VALID: ClassVar[Sequence[str | Valid]] = [
        "password = getpass()\n",
        'password = "changeme123"\n',
        'user.checkPassword("tIger!77"); matches(password("tIger!77"));\n',
        'password = "abc12345"\n',
        'password = "pass123!"\n',
        'password_label = "Choose 8 characters"\n',
        'PASSWORD = "DB_PASSWORD_2"\n',
        'password: "form.password.label"\n',
        Valid("password: " + "Blauwal.4711\n", path="docs/example.yml"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid('password = "' + 'Blauwal.4711"\n', line=1, column=13),
        Invalid('connect(host="db", user="app", password="' + 'hunter2")\n', line=1, column=42),
        Invalid('SECRET_KEY = "' + 'Azerty123"\n', line=1, column=15),
        Invalid("POSTGRES_PASSWORD=" + "Kestrel_88\n", line=1, column=19, path=".env"),
        Invalid('source.setPassword("' + 'tIger!77");\n', line=1, column=21, path="A.java"),
        Invalid('connect(host="h", smtpPassword="' + 'tIger!77"\n', line=1, column=33),
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
