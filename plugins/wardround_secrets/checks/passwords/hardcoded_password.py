from __future__ import annotations

from collections.abc import Iterator

from wardround.findings import Severity
from wardround.rules.cases import code
from wardround_secrets.detection import value_filters
from wardround_secrets.detection.assignments import ANCHORS, Assignment
from wardround_secrets.detection.passwords import denotes_password, is_password
from wardround_secrets.detection.scanner import ScannedText, SecretCheck, SecretMatch


class HardcodedPassword(SecretCheck):
    """A password is hard-coded.

    Anyone with a copy of the repository, now or later, can log in with it. Change the password, and read the
    new one from the environment or a secret store.
    """

    ID = "SE005"
    NAME = "hardcoded-password"
    ANCHORS = ANCHORS
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
            connect(host="db", user="app", password="«\x4bestrel88»")
        """),
    ]

    @classmethod
    def find(cls, text: ScannedText) -> Iterator[SecretMatch]:
        for assignment in text.assignments:
            if denotes_password(assignment.name) and is_password(assignment.value):
                if _is_harmless(text, assignment):
                    continue
                name = value_filters.display_name(assignment.name)
                message = f"{name} is hard-coded (***): change it, then remove it"
                yield SecretMatch(assignment.start, assignment.end, message)


def _is_harmless(text: ScannedText, assignment: Assignment) -> bool:
    """Return True if a password only protects something that this file starts, or is an example in it."""
    offset = assignment.start
    return (
        assignment.value in text.throwaway_passwords
        or text.is_example_request(offset)
        or text.is_to_be_replaced(offset)
    )
