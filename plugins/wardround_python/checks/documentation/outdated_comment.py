"""PY095."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.source import SourceFile
from wardround.findings import Plane, Severity
from wardround.semantics.docdrift.checks import describe, stale_comments
from wardround_python.check import PythonCheck

_RETRY = (
    "# Three attempts in all: the carrier bans who knocks more often.\npatiently = retry(\n  "
    "  stop=after({}),\n)\n"
)
_CANCELLED = (
    "def due(rows):\n    # cancelled orders never reach the ledger\n    return [r for r "
    "in rows if r.state is not State.{}]\n"
)
_DAYS = (
    'def days(start, end):\n    """Yield the days from start to end, both included."""\n    '
    "while start {} end:\n        yield start\n"
)
_LIMIT = (
    "MOST = {}\n\n\ndef check(rows):\n    if len(rows) > MOST:\n        raise "
    'ValueError("not more than 40 rows at a time")\n'
)
_SIZE = (
    'RADIUS = {}\n\n\ndef distance(a, b):\n    """The distance in kilometres."""\n    return '
    "RADIUS * angle(a, b)\n"
)
_UNIT = (
    "LIMIT_{0} = 2\n\n\ndef check(size):\n    if size > LIMIT_{0}:\n        raise "
    'ValueError(f"{{size}} MB is too large")\n'
)
_FOUND = 'def find(key) -> {}:\n    """Find a row; None if there is none."""\n    return rows[key]\n'


_WIPED = "def wipe(rows):\n    for row in rows:\n        row.{}\n    log.info('deleted %d rows', len(rows))\n"
_MOVED = 'def turn(old, new):\n    """Move the file to its shelf."""\n    shutil.{}(old, new)\n'


def _invalid(shape: str, was: str, now: str, line: int, column: int) -> Invalid:
    return Invalid(shape.format(now), line, column, base=shape.format(was))


class OutdatedComment(PythonCheck):
    """Words beside the code say what this change made untrue.

    A comment, docstring, message or help text states a number, a default, a unit, a bound or a value that the
    change exchanged for another right beside it. Whoever reads the words acts on what was so before. Change
    them in the same commit, or give the number a name and let the words be made of it.
    """

    ID = "PY095"
    NAME = "outdated-comment"
    DEFECT_CLASS = "stale-words"
    PREFILTER = "wardround_python.prefilters:loses_a_line"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    TRIED_ON = (
        "1,500 newest commits of each of 14 repositories, 20,593 with 37,842 changed files of "
        "Python, scripts, SQL and "
        "YAML: 6 phrases that the authors left, 5 of them stale; what was wrong stood in a sample "
        "of code and is passed "
        "over since; of deeds 75,136 changed files of 24 projects: 1, wrong, "
        "passed over since, and not run again"
    )
    IN_TESTS = True
    VALID: ClassVar[Sequence[str | Valid]] = [
        _RETRY.format(8),
        Valid(_RETRY.format(8).replace("Three", "Eight"), base=_RETRY.format(3)),
        Valid(_RETRY.format("8, most=3"), base=_RETRY.format(3)),
        Valid(_LIMIT.format(40), base=_LIMIT.format(60)),
        Valid(
            _CANCELLED.format("DRAFT").replace("due(rows)", "due(cancelled)"), base=_CANCELLED.format("DRAFT")
        ),
        Valid("# was 30 before the move\nTIMEOUT = 60\n", base="# was 30 before the move\nTIMEOUT = 30\n"),
        Valid("# see issue #30\nTIMEOUT = 60\n", base="# see issue #30\nTIMEOUT = 30\n"),
        Valid(_WIPED.format("delete(now=True)"), base=_WIPED.format("delete()")),
        Valid(_WIPED.format("hide()").replace("'deleted", "'hidden"), base=_WIPED.format("delete()")),
        Valid(_WIPED.format("hide()").replace("deleted", "not deleted"), base=_WIPED.format("delete()")),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        _invalid(_RETRY, "3", "8", 1, 3),
        _invalid(_CANCELLED, "CANCELLED", "DRAFT", 2, 7),
        _invalid(_DAYS, "<=", "<", 2, 42),
        _invalid(_LIMIT, "40", "60", 6, 41),
        _invalid(_SIZE, "6371.0", "6_371_000.0", 5, 24),
        _invalid(_UNIT, "MB", "KB", 6, 35),
        _invalid(_FOUND, "Row | None", "Row", 2, 20),
        _invalid(_WIPED, "delete()", "hide()", 4, 15),
        _invalid(_MOVED, "move", "copy", 2, 8),
        Invalid(
            "poll(rows, every=60)  # half a minute, 30 seconds\n",
            line=1,
            column=40,
            base="poll(rows, every=30)  # half a minute, 30 seconds\n",
        ),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        from wardround.semantics.docdrift.comment_lines import PYTHON  # not needed where nothing changed

        return bool(stale_comments(source, PYTHON))

    def visit_Module(self, node: ast.Module) -> None:
        from wardround.semantics.docdrift.comment_lines import PYTHON

        for one in stale_comments(self.source, PYTHON):
            self.report(*describe(one))
