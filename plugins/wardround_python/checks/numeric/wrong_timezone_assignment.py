"""PY073: wrong timezone assignment."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.languages.python.literals import given_once
from wardround.languages.python.module import last_name
from wardround.languages.python.tree import unparse
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_UNIVERSAL = frozenset({"UTC", "GMT", "Etc/UTC"})
_MAKERS = frozenset({"datetime", "time", "replace", "combine"})


class WrongTimezoneAssignment(PythonCheck):
    """A time zone is attached to a datetime in a way that changes the moment.

    A ``pytz`` zone passed as ``tzinfo=`` is the first entry of its history, local mean time, which is some
    minutes off; ``zone.localize(time)`` finds the right one. ``datetime.now()`` returns the machine's local
    time, and ``replace(tzinfo=...)`` labels it with another zone without converting it. Use
    ``datetime.now(zone)``.
    """

    ID = "PY073"
    NAME = "wrong-timezone-assignment"
    MATURITY = Maturity.PREVIEW
    WORDS = ("tzinfo=",)
    DEFECT_CLASS = "wrong-time-zone"
    VALID = [
        code("""
            import pytz
            from datetime import datetime
            t = datetime(2020, 1, 1, tzinfo=pytz.utc)
        """),
        code("""
            import pytz
            from datetime import datetime
            t = datetime(2020, 1, 1, tzinfo=pytz.timezone('UTC'))
        """),
    ]
    INVALID = [
        code("""
            import pytz
            from datetime import datetime
            def f(z):
                tz = pytz.timezone(z)
                return datetime(2020, 1, 1, «tzinfo=tz»)
        """),
        code("""
            import pytz
            ROME = pytz.timezone('Europe/Rome')
            def f(t):
                return t.replace(«tzinfo=ROME»)
        """),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        arguments = next((keyword for keyword in node.keywords if keyword.arg == "tzinfo"), None)
        if arguments is None or last_name(node.func) not in _MAKERS:
            return
        if self._is_of_pytz(arguments.value):
            self.report(
                self.module.span(arguments),
                "a pytz zone passed as tzinfo= is local mean time; use zone.localize()",
            )
        elif isinstance(node.func, ast.Attribute) and self._is_here_and_now(node.func.value, arguments.value):
            self.report(
                self.module.span(arguments),
                "the machine's local time is labelled with another zone; use datetime.now(zone)",
            )

    def _is_of_pytz(self, node: ast.expr) -> bool:
        if isinstance(node, (ast.Name, ast.Attribute)):
            node = given_once(self.module, node) or node
        if not isinstance(node, ast.Call) or self.module.imported_name(node.func) != "pytz.timezone":
            return False
        return not (node.args and isinstance(node.args[0], ast.Constant) and node.args[0].value in _UNIVERSAL)

    def _is_here_and_now(self, made: ast.expr, zone: ast.expr) -> bool:
        """Return True if a naive local datetime is labelled with a zone."""
        if not isinstance(made, ast.Call) or not (self.module.imported_name(made.func) or "").startswith(
            "datetime"
        ):
            return False
        own = last_name(made.func)
        naive = (own in ("now", "today") and not made.args and not made.keywords) or (
            own == "fromtimestamp" and len(made.args) == 1 and not made.keywords
        )
        return naive and not (isinstance(zone, ast.Constant) or "local" in unparse(zone).lower())
