"""TS097."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Check, Invalid, Valid
from wardround.drift.word_checks import UNIT_WORDS, said_of_units, unit_mismatches
from wardround.findings import Plane, Severity
from wardround_typescript.tree_check import SCRIPTS


class UnitMismatch(Check):
    """A name that says one unit is given, as it is, what another name says is in another unit.

    Either the number is off by the factor between the two, or one of the names is wrong and the next reader
    will convert what needs no conversion. Convert it there, or rename it.
    """

    ID = "TS097"
    NAME = "unit-mismatch"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.WARN
    TRIED_ON = (
        "1,500 newest commits of each of 14 repositories, 20,593 with 37,842 changed files of "
        "code: no hit, so nothing "
        "wrong and nothing proven"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("const timeoutMs = config.timeoutSeconds * 1000;\n", path="a.ts"),
        Valid("const timeoutMs = toMs(config.timeoutSeconds);\n", path="a.ts"),
        Valid("const timeoutMs = config.timeoutMillis;\n", path="a.ts"),
        Valid("const waitSeconds = config.sizeMb;\n", path="a.ts"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("const timeoutMs = section.timeoutSeconds ?? defaults.timeoutSeconds;\n", 1, 7, path="a.ts"),
        Invalid("start({\n  intervalMs: options.intervalMinutes,\n});\n", 2, 3, path="a.ts"),
        Invalid("this.sizeMb = config.sizeKb;\n", 1, 6, path="a.ts"),
    ]

    @classmethod
    def marks(cls) -> tuple[Sequence[str], Sequence[str]]:
        return SCRIPTS, UNIT_WORDS

    def run(self) -> None:
        for one in unit_mismatches(self.source):
            self.report(*said_of_units(one))
