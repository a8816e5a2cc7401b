"""TS097."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.base import Check
from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround.semantics.docdrift.checks import UNIT_WORDS, said_of_units, unit_mismatches, unit_values
from wardround_typescript.check import SCRIPTS


class UnitMismatch(Check):
    """A name that says one unit is given, as it is, what is in another, by its name or by how it is made.

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
        "wrong and nothing proven; the newest trees of 24 projects: 7 names of amounts such as "
        "ONE_HOUR, wrong, "
        "passed over since"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("const timeoutMs = config.timeoutSeconds * 1000;\n", path="a.ts"),
        Valid("const timeoutMs = toMs(config.timeoutSeconds);\n", path="a.ts"),
        Valid("const timeoutMs = config.timeoutMillis;\n", path="a.ts"),
        Valid("const waitSeconds = config.sizeMb;\n", path="a.ts"),
        Valid("const keepSeconds = 7 * 24 * 60 * 60;\nconst keepMs = 5 * 60 * 1000;\n", path="a.ts"),
        Valid("const KEEP_MINUTES: number = 24 * 60;\nconst a = { keepSeconds: 86400 };\n", path="a.ts"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("const timeoutMs = section.timeoutSeconds ?? defaults.timeoutSeconds;\n", 1, 7, path="a.ts"),
        Invalid("start({\n  intervalMs: options.intervalMinutes,\n});\n", 2, 3, path="a.ts"),
        Invalid("this.sizeMb = config.sizeKb;\n", 1, 6, path="a.ts"),
        Invalid("const KEEP_SECONDS = 2 * 60 * 60 * 1000;\n", 1, 7, path="a.ts"),
        Invalid("start({ keepDays: 7 * 24 * 60 * 60 });\n", 1, 9, path="a.ts"),
        Invalid("const keepSeconds = 300_000; // five minutes\n", 1, 7, path="a.ts"),
    ]

    @classmethod
    def prefilter_keys(cls) -> tuple[Sequence[str], Sequence[str]]:
        return SCRIPTS, UNIT_WORDS

    def run(self) -> None:
        for one in unit_mismatches(self.source):
            self.report(*said_of_units(one))
        for place, message in unit_values(self.source):
            self.report(place, message)
