"""PY054: strftime minute for month."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_MIXED = LazyPattern(r"%Y[-/.]?%M|%M[-/.]%d|%d[-/.]%M|%[HI][:.]?%m|%m:%S|%[HI]:%M:%s|%y[-/.]%M")
_HALF_DAY = LazyPattern(r"%I[:.h]?%M")


class StrftimeMinuteForMonth(PythonCheck):
    """A time format uses minutes for the month, or 12-hour hours without AM or PM.

    ``%M`` is the minute and ``%m`` the month; ``%I`` counts to 12 and needs ``%p``. No error is raised: the
    times are wrong.
    """

    ID = "PY054"
    NAME = "strftime-minute-for-month"
    MATURITY = Maturity.PREVIEW
    WORDS = ("%M", "%m", "%I")
    DEFECT_CLASS = "wrong-time-format"
    VALID = [
        code("""
            x = '%Y-%m-%d %H:%M:%S'
        """),
        code("""
            x = '%I:%M %p'
        """),
    ]
    INVALID = [
        code("""
            def f(t):
                return t.strftime(«'%Y-%M-%d'»)
        """),
        code("""
            FORMAT = «'%d.%m.%Y %H:%m'»
        """),
    ]

    def visit_Constant(self, node: ast.Constant) -> None:
        if not isinstance(node.value, str) or "%" not in node.value or len(node.value) > 60:
            return
        if match := _MIXED.search(node.value):
            self.report(self.module.span(node), f'"{match[0]}" confuses %M, the minute, with %m, the month')
        elif _HALF_DAY.search(node.value) and "%p" not in node.value:
            self.report(
                self.module.span(node),
                '"%I" counts to 12 and is ambiguous without "%p"; use "%H" or add "%p"',
            )
