"""TS484."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.base import Check
from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround.semantics.docdrift.checks import wrong_messages
from wardround_typescript.check import SCRIPTS, is_test_path

_CHECK = "function check(n: number) {{\n  if ({}) {{\n    throw new Error('{}');\n  }}\n}}\n"


class MessageContradictsCondition(Check):
    """The message of an error tells another bound, or another thing, than the condition above it asks for.

    Somebody types 20 characters as the message says and is refused again, or looks for a fault in the town
    where the street is missing. Say what the condition asks for, best with the same constant.
    """

    ID = "TS484"
    NAME = "message-contradicts-condition"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "misleading-message"
    TRIED_ON = (
        "the newest trees of 24 projects, 23,062 scripts and modules: 4 hits in scripts, wrong, on "
        "plain names and on "
        "names of two words apart; those are passed over since"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(_CHECK.format("n > 40", "n must be at most 40"), path="a.ts"),
        Valid(_CHECK.format("n >= 41", "n must be at most 40"), path="a.ts"),
        Valid(_CHECK.format("n < 1 || n > 40", "n must be between 1 and 40"), path="a.ts"),
        Valid(_CHECK.format("n > 2000", "no more than 2 seconds"), path="a.ts"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(_CHECK.format("n > 40", "n must be at most 60"), 3, 40, path="a.ts"),
        Invalid(_CHECK.format("n < 1 || n > 40", "n must be between 1 and 60"), 3, 32, path="a.ts"),
        Invalid(_CHECK.format("n.length < 12", "give at least 8 characters"), 3, 36, path="a.ts"),
        Invalid(
            "if (!f.street) errors.push('street is missing');\nif (!f.town) errors.push('street is "
            "missing');\n",
            2,
            27,
            path="a.ts",
        ),
    ]

    @classmethod
    def prefilter_keys(cls) -> tuple[Sequence[str], Sequence[str]]:
        return SCRIPTS, ("throw", "rror", "reject(", "addIssue")

    def run(self) -> None:
        if not is_test_path(self.source.path):
            for span, message in wrong_messages(self.source):
                self.report(span, message)
