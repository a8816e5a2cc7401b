"""SE010: random passwords in tests."""

from __future__ import annotations

from collections.abc import Iterator

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround_secrets.detection import value_filters
from wardround_secrets.detection.passwords import denotes_password
from wardround_secrets.detection.random_values import is_random
from wardround_secrets.detection.scanner import ScannedText, SecretCheck, SecretMatch

_TESTS = LazyPattern(
    r"(?:^|[/_.-])(?:tests?|specs?|e2e|integration|conftest|fixtures?|cypress|playwright)(?=[/_.-]|$)"
)
_ALL_KINDS = LazyPattern(r"(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[^A-Za-z0-9])(?!.*%[0-9A-Fa-f]{2}).{14,80}")


class PasswordInTest(SecretCheck):
    """A test uses a password that was not made up for it.

    The value is random, as passwords of real accounts are, also on staging and sandbox systems. If it belongs
    to an account, change it, and let the test read the new one from the environment.
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
        if not text.is_example_file or _TESTS.search(text.path) is None:
            return
        for assignment in text.assignments:
            if denotes_password(assignment.name) and _is_random_password(assignment.value):
                name = value_filters.display_name(assignment.name)
                message = f"{name} is a random password (***): if it is real, change and remove it"
                yield SecretMatch(assignment.start, assignment.end, message)


def _is_random_password(value: str) -> bool:
    return (
        _ALL_KINDS.fullmatch(value) is not None
        and is_random(value)
        and not value_filters.has_stop_word(value)
    )
