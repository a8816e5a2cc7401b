"""TE032."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.languages.python.tree import children, walk
from wardround.rules.maturity import Maturity
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.python_tests import TestCase, equal_sides, is_assertion, last_name

_LOCAL = {
    "datetime.datetime.fromtimestamp": 1,
    "datetime.date.fromtimestamp": 1,
    "time.localtime": 1,
    "time.ctime": 1,
    "time.mktime": 1,
}
"""What reads or writes a moment by the clock of the machine, and how many arguments leave it to that."""
_CLOCK = LazyPattern(r"\b\d{1,2}:\d{2}\b|\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b")
_SET = LazyPattern(r"tzset|\bTZ\b|freez|time_?machine|tz_offset|timezone_mock|travel")
_FEWEST_SECONDS = 1e7


class ExpectsLocalTimeZone(PythonTestCheck):
    """What is expected holds in one time zone only.

    A moment is turned into a date, or a date into a moment, by the zone of the machine, and the other side is
    written down: on a machine elsewhere, or in CI, the test fails. Give the zone: tz=timezone.utc.
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

    def look_at(self, case: TestCase) -> None:
        nodes = self.module.own(case)
        local = [n for n in nodes if isinstance(n, ast.Call) and self._is_local(n)]
        if not local:
            return
        for call in local:
            if any(call in walk(one) for one in nodes if is_assertion(one)):
                wanted = [one for one in nodes if is_assertion(one) and call in walk(one)]
            else:
                name = self._name_of(call)
                wanted = [one for one in nodes if is_assertion(one) and name and _mentions(one, name)]
                wanted += [
                    one
                    for one in nodes
                    if is_assertion(one) and name and any(_mentions(one, n) for n in _made_from(nodes, name))
                ]
            if any(_is_written(call, one) for one in wanted):
                text = (
                    f"{ast.unparse(call)[:60]} goes by the zone of the machine, and what is expected does not"
                )
                self.report(self.module.span(call), text)
                return

    def _is_local(self, call: ast.Call) -> bool:
        name = self.module.imported_name(call.func) or ""
        if name in _LOCAL:
            return len(call.args) == _LOCAL[name] and not call.keywords and not _is_now(call.args[0])
        made = (
            call.func.value
            if isinstance(call.func, ast.Attribute) and call.func.attr == "timestamp"
            else None
        )
        if isinstance(made, ast.Call) and self.module.imported_name(made.func) == "datetime.datetime":
            return (
                len(made.args) >= 3
                and len(made.args) < 8
                and not any(k.arg in ("tzinfo", None) for k in made.keywords)
            )
        is_bare = isinstance(call.func, ast.Attribute) and call.func.attr == "astimezone"
        return is_bare and not call.args and not call.keywords

    def _name_of(self, call: ast.Call) -> str:
        """The variable that is made with a call; empty if there is none."""
        for parent in self.module.ancestors(call):
            if isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name):
                return parent.targets[0].id
            if isinstance(parent, ast.stmt):
                return ""
        return ""


def _made_from(nodes: Sequence[ast.AST], name: str) -> Iterator[str]:
    """The variables whose value a variable goes into."""
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


def _is_written(call: ast.Call, assertion: ast.AST) -> bool:
    """Return True if an assertion writes down the date, or the moment, that should come of a call."""
    gives_moment = last_name(call.func) in ("timestamp", "mktime")
    sides = equal_sides(assertion) or ()
    for node in (one for side in sides for one in (side, *children(side))):
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str) and not gives_moment and _CLOCK.search(node.value):
                return True
            is_number = isinstance(node.value, (int, float)) and not isinstance(node.value, bool)
            if is_number and gives_moment and node.value > _FEWEST_SECONDS:  # type: ignore[operator]
                return True
        if isinstance(node, ast.Call) and node is not call and not gives_moment:
            is_date = last_name(node.func) in ("datetime", "date") and len(node.args) >= 3
            if is_date and all(isinstance(one, ast.Constant) for one in node.args):
                return True
    return False
