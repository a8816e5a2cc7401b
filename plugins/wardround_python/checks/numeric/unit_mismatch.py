"""PY097: unit mismatch."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.source import SourceFile
from wardround.findings import Plane, Severity, Span
from wardround.rules.maturity import Maturity
from wardround.semantics.docdrift.checks import UNIT_WORDS, said_of_units, unit_mismatches, unit_values
from wardround_python.check import PythonCheck


class UnitMismatch(PythonCheck):
    """A value in one unit is assigned to a name of another unit, according to its name or its computation.

    Either the number is wrong by the factor between the two units, or one of the names is wrong and the next
    reader will convert a value that needs no conversion. Convert the value, or rename it.
    """

    ID = "PY097"
    NAME = "unit-mismatch"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.WARN
    WORDS = UNIT_WORDS
    VALID = [
        code("""
            timeout_ms = settings.timeout_seconds * 1000
        """),
        code("""
            timeout_ms = to_ms(settings.timeout_seconds)
        """),
    ]
    INVALID = [
        code("""
            «timeout_ms» = settings.timeout_seconds
        """),
        code("""
            call(
                «timeout_ms»=given or defaults.timeout_minutes,
            )
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        if not any(word in source.text for word in cls.WORDS):
            return False
        return bool(unit_mismatches(source) or unit_values(source))

    def visit_Module(self, node: ast.Module) -> None:
        for mismatche in unit_mismatches(self.source):
            self.report(*said_of_units(mismatche))
        for place, message in unit_values(self.source):
            if not self._is_in_text(place):
                self.report(place, message)

    def _is_in_text(self, place: Span) -> bool:
        """Return True for code in a string that is more than a name, which is a sample."""
        texts = (node for node in self.module.nodes if isinstance(node, ast.Constant))
        return any(
            isinstance(text.value, str)
            and not text.value.isidentifier()
            and (text.lineno, text.col_offset) < place.start <= (text.end_lineno, text.end_col_offset)
            for text in texts
        )
