"""TE032: expected dates that depend on the local time zone."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.languages.python.tree import children, walk
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
        local = [n for n in nodes if isinstance(n, ast.Call) and self._is_local(n)]
        if not local:
            return
        for call in local:
            if any(call in walk(one) for one in nodes if is_assertion(one)):
                related = [one for one in nodes if is_assertion(one) and call in walk(one)]
            else:
                name = self._name_of(call)
                related = [one for one in nodes if is_assertion(one) and name and _mentions(one, name)]
                related += [
                    one
                    for one in nodes
                    if is_assertion(one)
                    and name
                    and any(_mentions(one, n) for n in _derived_from(nodes, name))
                ]
            if any(_has_literal_moment(call, one) for one in related):
                text = f"{ast.unparse(call)[:60]} uses the local time zone; pass a zone"
                self.report(self.module.span(call), text)
                return

    def _is_local(self, call: ast.Call) -> bool:
        name = self.module.imported_name(call.func) or ""
        if name in _LOCAL:
            return len(call.args) == _LOCAL[name] and not call.keywords and not _is_now(call.args[0])
        constructed = (
            call.func.value
            if isinstance(call.func, ast.Attribute) and call.func.attr == "timestamp"
            else None
        )
        if (
            isinstance(constructed, ast.Call)
            and self.module.imported_name(constructed.func) == "datetime.datetime"
        ):
            return (
                len(constructed.args) >= 3
                and len(constructed.args) < 8
                and not any(k.arg in ("tzinfo", None) for k in constructed.keywords)
            )
        is_bare = isinstance(call.func, ast.Attribute) and call.func.attr == "astimezone"
        return is_bare and not call.args and not call.keywords

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


def _has_literal_moment(call: ast.Call, assertion: ast.AST) -> bool:
    """Return True if an assertion has a literal date or timestamp as the expected value."""
    returns_timestamp = last_name(call.func) in ("timestamp", "mktime")
    operands = equality_operands(assertion) or ()
    for node in (one for side in operands for one in (side, *children(side))):
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str) and not returns_timestamp and _CLOCK.search(node.value):
                return True
            is_number = isinstance(node.value, (int, float)) and not isinstance(node.value, bool)
            if is_number and returns_timestamp and node.value > _FEWEST_SECONDS:  # type: ignore[operator]
                return True
        if isinstance(node, ast.Call) and node is not call and not returns_timestamp:
            is_date = last_name(node.func) in ("datetime", "date") and len(node.args) >= 3
            if is_date and all(isinstance(one, ast.Constant) for one in node.args):
                return True
    return False
