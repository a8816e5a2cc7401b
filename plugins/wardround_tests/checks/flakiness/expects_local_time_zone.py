"""TE032: expected dates that depend on the local time zone."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.languages.python.tree import children, unparse, walk
from wardround.rules.maturity import Maturity
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.python_tests import TestCase
from wardround_tests.models.syntax import equality_operands, is_assertion, last_name

_LOCAL = {
    "datetime.datetime.fromtimestamp": 1,
    "datetime.date.fromtimestamp": 1,
    "time.localtime": 1,
    "time.ctime": 1,
    "time.mktime": 1,
}
"""Functions that convert by the local time zone, and the number of arguments with which they do."""
_CLOCK = LazyPattern(r"\b\d{1,2}:\d{2}\b|\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b")
_SET = LazyPattern(r"tzset|\bTZ\b|freez|time_?machine|tz_offset|timezone_mock|travel")
_FEWEST_SECONDS = 1e7


class ExpectsLocalTimeZone(PythonTestCheck):
    """The expected value holds in one time zone only.

    A timestamp is converted to a date, or a date to a timestamp, in the local time zone, and compared with a
    literal: on a machine in another zone, or in CI, the test fails. Pass the zone: tz=timezone.utc.
    """

    ID = "TE032"
    NAME = "expects-local-time-zone"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "time-zone"
    VALID = [
        code("""
            from datetime import datetime
            def test_line():
                at = datetime.fromtimestamp(1700000000, tz=UTC)
                assert line(at) == '2023-11-14 22:13'
        """),
        code("""
            from datetime import datetime
            def test_line():
                at = datetime.fromtimestamp(1700000000)
                assert line(at).moment == at
        """),
    ]
    INVALID = [
        code("""
            from datetime import datetime
            def test_line():
                at = «datetime.fromtimestamp(1700000000)»
                assert line(at) == '2023-11-14 22:13'
        """),
        code("""
            import datetime as dt
            class LineTest(TestCase):
                def test_line(self):
                    self.assertEqual(read('a').at, dt.datetime(2023, 1, 2, 10, 30).timestamp())
                    self.assertEqual(«dt.datetime(2023, 1, 2).timestamp()», 1672617600)
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        text = source.text
        words = ("timestamp(", "localtime(", "ctime(", "mktime(", "astimezone()")
        return any(word in text for word in words) and _SET.search(text) is None

    def check_test(self, case: TestCase) -> None:
        nodes = self.module.nodes_of(case)
        for call in (n for n in nodes if isinstance(n, ast.Call) and self._is_local(n)):
            if any(_has_literal_moment(call, one) for one in self._related_assertions(call, nodes)):
                text = f"{unparse(call)[:60]} uses the local time zone; pass a zone"
                self.report(self.module.span(call), text)
                return

    def _related_assertions(self, call: ast.Call, nodes: Sequence[ast.AST]) -> list[ast.AST]:
        """Return the assertions that contain a call, else those on its result or a derived variable."""
        assertions = [one for one in nodes if is_assertion(one)]
        containing = [one for one in assertions if call in walk(one)]
        name = "" if containing else self._name_of(call)
        names = (name, *_derived_from(nodes, name)) if name else ()
        return containing or [one for one in assertions if any(_mentions(one, n) for n in names)]

    def _is_local(self, call: ast.Call) -> bool:
        name = self.module.imported_name(call.func) or ""
        if name in _LOCAL:
            return len(call.args) == _LOCAL[name] and not call.keywords and not _is_now(call.args[0])
        if not isinstance(call.func, ast.Attribute):
            return False
        constructed = call.func.value
        if call.func.attr == "timestamp" and isinstance(constructed, ast.Call):
            is_datetime = self.module.imported_name(constructed.func) == "datetime.datetime"
            return is_datetime and _lacks_time_zone(constructed)
        return call.func.attr == "astimezone" and not call.args and not call.keywords

    def _name_of(self, call: ast.Call) -> str:
        """Return the variable that a call's result is assigned to; empty if there is none."""
        for parent in self.module.ancestors(call):
            if isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name):
                return parent.targets[0].id
            if isinstance(parent, ast.stmt):
                return ""
        return ""


def _derived_from(nodes: Sequence[ast.AST], name: str) -> Iterator[str]:
    """Yield the variables that are derived from a variable."""
    for node in nodes:
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and _mentions(node.value, name)
        ):
            yield node.targets[0].id


def _is_now(value: ast.expr) -> bool:
    return last_name(value) in ("time", "now", "monotonic", "utcnow", "st_mtime")


def _mentions(node: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in walk(node))


def _lacks_time_zone(constructed: ast.Call) -> bool:
    """Return True if a datetime is constructed without a time zone."""
    has_zone = any(k.arg in ("tzinfo", None) for k in constructed.keywords)
    return 3 <= len(constructed.args) < 8 and not has_zone


def _has_literal_moment(call: ast.Call, assertion: ast.AST) -> bool:
    """Return True if an assertion has a literal date or timestamp as the expected value."""
    operands = equality_operands(assertion) or ()
    nodes = [one for side in operands for one in (side, *children(side)) if one is not call]
    if last_name(call.func) in ("timestamp", "mktime"):
        return any(map(_is_timestamp, nodes))
    return any(map(_is_date, nodes))


def _is_timestamp(node: ast.AST) -> bool:
    if not isinstance(node, ast.Constant) or isinstance(node.value, bool):
        return False
    return isinstance(node.value, (int, float)) and node.value > _FEWEST_SECONDS


def _is_date(node: ast.AST) -> bool:
    """Return True if a node is a literal date: text, or a constructor with constants only."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and _CLOCK.search(node.value) is not None
    if not isinstance(node, ast.Call) or last_name(node.func) not in ("datetime", "date"):
        return False
    return len(node.args) >= 3 and all(isinstance(one, ast.Constant) for one in node.args)
