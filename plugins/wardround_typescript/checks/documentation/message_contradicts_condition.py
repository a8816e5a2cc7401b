"""TS484: message contradicts condition."""

from __future__ import annotations

from collections.abc import Sequence

from wardround.checks.base import Check
from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround.semantics.docdrift.checks import wrong_messages
from wardround_typescript.check import SCRIPTS, is_test_path


class MessageContradictsCondition(Check):
    """An error message states another bound, or another field, than the condition above it.

    A user who follows the message is refused again, or searches for the error in the wrong field. State the
    condition in the message, preferably with the same constant.
    """

    ID = "TS484"
    NAME = "message-contradicts-condition"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "misleading-message"
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            function check(n: number) {
              if (n > 40) {
                throw new Error('n must be at most 40');
              }
            }
        """),
        code("""
            function check(n: number) {
              if (n >= 41) {
                throw new Error('n must be at most 40');
              }
            }
        """),
    ]
    INVALID = [
        code("""
            function check(n: number) {
              if (n > 40) {
                throw new Error('n must be at most «60»');
              }
            }
        """),
        code("""
            function check(n: number) {
              if (n < 1 || n > 40) {
                throw new Error('n must be «between 1 and 60»');
              }
            }
        """),
    ]

    @classmethod
    def prefilter_keys(cls) -> tuple[Sequence[str], Sequence[str]]:
        return SCRIPTS, ("throw", "rror", "reject(", "addIssue")

    def run(self) -> None:
        if not is_test_path(self.source.path):
            for span, message in wrong_messages(self.source):
                self.report(span, message)
