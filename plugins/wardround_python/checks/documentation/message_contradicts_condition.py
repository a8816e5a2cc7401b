"""PY484."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.source import SourceFile
from wardround.findings import Plane, Severity
from wardround.semantics.docdrift.checks import wrong_messages
from wardround_python.check import PythonCheck

_CHECK = "def check(n):\n    if {}:\n        raise ValueError('{}')\n"


class MessageContradictsCondition(PythonCheck):
    """The message of an error tells another bound, or another thing, than the condition above it asks for.

    Somebody types 20 characters as the message says and is refused again, or looks for a fault in the group
    where the household is missing. Say what the condition asks for, best with the same constant.
    """

    ID = "PY484"
    NAME = "message-contradicts-condition"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "misleading-message"
    WORDS = ("raise", "rror", "abort", "fail")
    TRIED_ON = "23,062 scripts and modules of 24 projects: 1 hit, right, a message copied with its name"
    VALID: ClassVar[Sequence[str | Valid]] = [
        _CHECK.format("n > 40", "n must be at most 40"),
        _CHECK.format("n >= 41", "n must be at most 40"),
        _CHECK.format("n > 2048", "at most 2 KB are taken"),
        _CHECK.format("not 1 <= n <= 40", "n must be between 1 and 40"),
        "def check(f):\n    if not f.town:\n        raise Gap('town is missing')\n"
        "    if not f.street:\n        raise Gap('street is missing')\n",
        "def check(f):\n    if f.town is None:\n        raise Gap('address is missing')\n"
        "    if f.street is None:\n        raise Gap('address is missing')\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(_CHECK.format("n > 40", "n must be at most 60"), 3, 45),
        Invalid(_CHECK.format("not 1 <= n <= 40", "n must be between 1 and 60"), 3, 37),
        Invalid(_CHECK.format("len(n) < 12", "give at least 8 characters"), 3, 41),
        Invalid(
            "def check(f):\n    if not f.town:\n        raise Gap('town is missing')\n"
            "    if not f.street:\n        raise Gap('town is missing')\n",
            5,
            20,
        ),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return super().wants(source) and bool(wrong_messages(source))

    def visit_Module(self, node: ast.Module) -> None:
        for span, message in wrong_messages(self.source):
            self.report(span, message)
