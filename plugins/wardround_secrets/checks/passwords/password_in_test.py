from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.findings import Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_secrets.detection import positions, value_filters
from wardround_secrets.detection.assignments import ANCHORS
from wardround_secrets.detection.passwords import denotes_password
from wardround_secrets.detection.random_values import is_random
from wardround_secrets.detection.scanner import ScannedText, SecretCheck, SecretMatch

_OF_ACCOUNT = LazyPattern(r"pass|pwd|(?<![a-z])pw(?![a-z])", re.IGNORECASE)
_CALL = LazyPattern(r"(\w+)\s{0,4}\Z")
_CREATES = LazyPattern(
    r"create|register|sign_?up|add|insert|make|build|factory|set_?password|new|user\Z|account\Z",
    re.IGNORECASE,
)
"""Names of calls that create the account of the password."""
_CONNECTS = LazyPattern(r"connect|client|engine|pool|session|transport|driver|log_?in|auth", re.IGNORECASE)
_BEFORE = 800
"""Number of characters before a password in which its call is searched."""
_ALL_KINDS = LazyPattern(r"(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[^A-Za-z0-9])(?!.*%[0-9A-Fa-f]{2}).{14,80}")


class PasswordInTest(SecretCheck):
    """A test uses a password that was not made up for it.

    The value is random, as passwords of real accounts are, also on staging and sandbox systems. If it belongs
    to an account, change it, and let the test read the new one from the environment.
    """

    ID = "SE010"
    NAME = "password-in-test"
    ANCHORS = ANCHORS
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
        if not text.is_example_file or not positions.is_test(text.path):
            return
        passwords = [assignment for assignment in text.assignments if _OF_ACCOUNT.search(assignment.name)]
        own = {password.value for password in passwords if _creates_account(text.text, password.start)}
        for password in passwords:
            if password.value not in own and _is_real(password.name, password.value):
                name = value_filters.display_name(password.name)
                message = f"{name} is a random password (***): if it is real, change and remove it"
                yield SecretMatch(password.start, password.end, message)


def _is_real(name: str, value: str) -> bool:
    return denotes_password(name) and _is_random_password(value)


def _creates_account(content: str, offset: int) -> bool:
    """Return True if a password is passed to a call that creates its account or sets its password."""
    depth, start = 0, max(0, offset - _BEFORE)
    for at in range(offset - 1, start, -1):
        sign = content[at]
        depth += (sign in ")]}") - (sign in "([{")
        if depth < 0:
            if sign == "(":
                return _is_creation(_CALL.search(content, max(start, at - 80), at))
            depth = 0
    return False


def _is_creation(call: re.Match[str] | None) -> bool:
    return call is not None and bool(_CREATES.search(call[1])) and not _CONNECTS.search(call[1])


def _is_random_password(value: str) -> bool:
    return (
        _ALL_KINDS.fullmatch(value) is not None
        and is_random(value)
        and not value_filters.has_stop_word(value)
    )
