"""PY097."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.source import SourceFile
from wardround.findings import Plane, Severity, Span
from wardround.semantics.docdrift.checks import UNIT_WORDS, said_of_units, unit_mismatches, unit_values
from wardround_python.check import PythonCheck


class UnitMismatch(PythonCheck):
    """A name that says one unit is given, as it is, what is in another, by its name or by how it is made.

    Either the number is off by the factor between the two, or one of the names is wrong and the next reader
    will convert what needs no conversion. Convert it there, or rename it.
    """

    ID = "PY097"
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
    WORDS = UNIT_WORDS
    VALID: ClassVar[Sequence[str | Valid]] = [
        "timeout_ms = settings.timeout_seconds * 1000\n",
        "timeout_ms = to_ms(settings.timeout_seconds)\n",
        "timeout_ms = settings.timeout_millis\n",
        "wait_seconds = settings.size_mb\n",
        "per_day = per_second\n",
        "KEEP_SECONDS = 7 * 24 * 60 * 60\nKEEP_MINUTES = 24 * 60\nKEEP_MS = 5 * 60 * 1000\nMOST_MB = 2 "
        "* 1024\n",
        "KEEP_SECONDS = 86400\nWAIT_MS = 60\nrequests_per_minute = 60 * 1000\n",
        "SAMPLE = 'pause_ms = 24 * 60 * 60'\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("timeout_ms = settings.timeout_seconds\n", 1, 1),
        Invalid("call(\n    timeout_ms=given or defaults.timeout_minutes,\n)\n", 2, 5),
        Invalid("limits.size_mb = config.size_kb\n", 1, 8),
        Invalid("KEEP_SECONDS = 8 * 60 * 60 * 1000\n", 1, 1),
        Invalid("start(pause_ms=24 * 60 * 60)\n", 1, 7),
        Invalid("LIMITS = {\n    'most_mb': 5 * 1024 * 1024,\n    'kept_days': 7 * 24 * 3600,\n}\n", 2, 6)
        if False
        else Invalid("LIMITS = {'most_mb': 5 * 1024 * 1024}\n", 1, 12),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        if not any(word in source.text for word in cls.WORDS):
            return False
        return bool(unit_mismatches(source) or unit_values(source))

    def visit_Module(self, node: ast.Module) -> None:
        for one in unit_mismatches(self.source):
            self.report(*said_of_units(one))
        for place, message in unit_values(self.source):
            if not self._is_in_text(place):
                self.report(place, message)

    def _is_in_text(self, place: Span) -> bool:
        """Whether it stands in a string that is more than a name: code in there is a sample."""
        texts = (one for one in self.module.nodes if isinstance(one, ast.Constant))
        return any(
            isinstance(one.value, str)
            and not one.value.isidentifier()
            and (one.lineno, one.col_offset) < place.start <= (one.end_lineno, one.end_col_offset)
            for one in texts
        )
