"""SE010."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround_secrets.checks.passwords.assigned_secret import is_drawn
from wardround_secrets.checks.passwords.hardcoded_password import names_a_password
from wardround_secrets.detection import value_filters
from wardround_secrets.detection.scanner import ScannedText, SecretCheck, SecretMatch

_TESTS = LazyPattern(
    r"(?:^|[/_.-])(?:tests?|specs?|e2e|integration|conftest|fixtures?|cypress|playwright)(?=[/_.-]|$)"
)
_ALL_KINDS = LazyPattern(r"(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[^A-Za-z0-9])(?!.*%[0-9A-Fa-f]{2}).{14,80}")


class PasswordInTest(SecretCheck):
    """A test logs in with a password that nobody made up for it.

    It was drawn at random, as passwords of real accounts are, also on staging and sandbox systems.
    If it opens one, change it, and let the test read the new one from the environment.
    """

    ID = "SE010"
    NAME = "password-in-test"
    TRIED_ON = (
        "10,818 files of tests and examples of 32 projects: 3 hits before values with escapes and with words "
        "of everybody's were left out, none since, so nothing wrong and nothing proven."
    )
    SEVERITY = Severity.INFO
    IN_TESTS = True
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid('password = "' + 'Blauwal.4711"\n', path="tests/test_login.py"),
        Valid('password = "' + 'MyC0mpl3x!P@ssw0rd#2024$"\n', path="tests/test_login.py"),
        Valid('api_key = "' + 'kQ7x!Zt0vB3-mW9pLs2e"\n', path="tests/test_login.py"),
        Valid('password = "' + 'kQ7x!Zt0vB3-mW9pLs2e"\n', path="docs/login.md"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            'connect(user="ci", password="' + 'kQ7x!Zt0vB3-mW9pLs2e")\n',
            line=1,
            column=30,
            path="tests/conftest.py",
        ),
        Invalid('password: "' + 'vR4+oD6Y7mw1Tr04_64n"\n', line=1, column=12, path="e2e/users.yml"),
        Invalid("DB_PASSWORD=" + "Zt0=vB3-mW9pLs2ekQ7x\n", line=1, column=13, path="tests/.env"),
    ]

    @classmethod
    def find(cls, text: ScannedText) -> Iterator[SecretMatch]:
        if not text.is_for_show or _TESTS.search(text.path) is None:
            return
        for given in text.assignments:
            if names_a_password(given.name) and _is_of_an_account(given.value):
                name = given.name[-40:].lstrip(".-_")
                yield SecretMatch(
                    given.start,
                    given.end,
                    f"{name} is a random password (***): if it opens anything, change and remove it",
                )


def _is_of_an_account(value: str) -> bool:
    return (
        _ALL_KINDS.fullmatch(value) is not None and is_drawn(value) and not value_filters.has_stop_word(value)
    )
