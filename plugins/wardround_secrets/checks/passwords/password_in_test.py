"""SE010."""

from __future__ import annotations

from collections.abc import Iterator

from wardround.checks.cases import code
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
    SEVERITY = Severity.INFO
    IN_TESTS = True
    CASE_PATH = "tests/test_login.py"
    VALID = [
        code("""
            password = "\x42lauwal.4711"
        """),
        code("""
            password = "\x4dyC0mpl3x!P@ssw0rd#2024$"
        """),
    ]
    INVALID = [
        code(
            """
            connect(user="ci", password="«\x6bQ7x!Zt0vB3-mW9pLs2e»")
            """,
            path="tests/conftest.py",
        ),
        code(
            """
            password: "«\x76R4+oD6Y7mw1Tr04_64n»"
            """,
            path="e2e/users.yml",
        ),
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
