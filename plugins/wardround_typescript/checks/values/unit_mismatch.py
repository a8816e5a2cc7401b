"""TS097: unit mismatch."""

from __future__ import annotations

from collections.abc import Sequence

from wardround.checks.base import Check
from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround.semantics.docdrift.checks import UNIT_WORDS, said_of_units, unit_mismatches, unit_values
from wardround_typescript.check import SCRIPTS


class UnitMismatch(Check):
    """A value in one unit is assigned unchanged to a name of another unit.

    Either the number is off by the factor between the two units, or one of the names is wrong and misleads
    the next reader. Convert the value, or rename it.
    """

    ID = "TS097"
    NAME = "unit-mismatch"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.WARN
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            const timeoutMs = config.timeoutSeconds * 1000;
        """),
        code("""
            const timeoutMs = toMs(config.timeoutSeconds);
        """),
    ]
    INVALID = [
        code("""
            const «timeoutMs» = section.timeoutSeconds ?? defaults.timeoutSeconds;
        """),
        code("""
            start({
              «intervalMs»: options.intervalMinutes,
            });
        """),
    ]

    @classmethod
    def prefilter_keys(cls) -> tuple[Sequence[str], Sequence[str]]:
        return SCRIPTS, UNIT_WORDS

    def run(self) -> None:
        for one in unit_mismatches(self.source):
            self.report(*said_of_units(one))
        for place, message in unit_values(self.source):
            self.report(place, message)
