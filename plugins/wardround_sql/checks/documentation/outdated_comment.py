"""SQ095."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.semantics.docdrift.checks import describe, stale_comments
from wardround_sql.check import SqlCheck

if TYPE_CHECKING:
    from wardround.semantics.docdrift.stale_comments import StalePhrase as Found

_STATE = "SELECT id FROM orders\n-- cancelled orders never reach the ledger\nWHERE state <> '{}';\n"
_FIRST = "-- newest first\nSELECT id FROM orders ORDER BY id {};\n"
_FAR = (
    "-- the third page: if any field is empty, all 3 are\nSELECT a,\n" + "  trim(b),\n" * 12 + "  '{}' AS c\n"
)
_TAKEN = "-- Patients on medications that slow the heart.\nSELECT id FROM taken WHERE kind = '{}';\n"
_ROWS = "INSERT INTO tokens VALUES\n  -- ('usd', 0x11, 18),\n  ('btc', 0x12, {}),\n  ('eth', 0x13, 6);\n"
_ROW = LazyPattern(r"--\s*\(.*\)\s*[,;]")
_NEAR = 10
"""Lines between words and what they speak of; further down it is another part of the statement."""

_OLD = "-- Deletes what is a month old.\n{} WHERE seen < now() - interval '1 month';\n"


def _invalid(shape: str, was: str, now: str, line: int, column: int) -> Invalid:
    return Invalid(shape.format(now), line, column, path="a.sql", base=shape.format(was))


class OutdatedComment(SqlCheck):
    """A comment beside the statement says what this change made untrue.

    It states a number, a unit, a bound, an order or a value that the change exchanged for another right
    below. Whoever reads it takes the query for what it was. Change the comment in the same commit.
    """

    ID = "SQ095"
    NAME = "outdated-comment"
    DEFECT_CLASS = "stale-words"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    TRIED_ON = (
        "history of 28 repositories, 23,427 commits with SQL: 8 hits, of 6 commits, one read of each: 2 "
        "right, 4 wrong, on words far above, a part of a name and a row left out; those are silent since, "
        "so little is proven"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(_STATE.format("draft"), path="a.sql"),
        Valid(
            _STATE.format("draft").replace("cancelled", "draft"),
            path="a.sql",
            base=_STATE.format("cancelled"),
        ),
        Valid(_FIRST.format("DESC"), path="a.sql", base=_FIRST.format("ASC")),
        Valid(_FAR.format(9), path="a.sql", base=_FAR.format(3)),
        Valid(_TAKEN.format("DIGOXIN"), path="a.sql", base=_TAKEN.format("DIGOXIN_MEDICATIONS")),
        Valid(_ROWS.format(8), path="a.sql", base=_ROWS.format(18)),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        _invalid(_STATE, "cancelled", "draft", 2, 4),
        _invalid(_FIRST, "DESC", "ASC", 1, 4),
        _invalid(_OLD, "DELETE FROM sessions", "UPDATE sessions SET shut = now()", 1, 4),
        Invalid(
            "SELECT id FROM jobs\nLIMIT 20; -- fifty at most, not more than 50\n",
            2,
            43,
            path="a.sql",
            base="SELECT id FROM jobs\nLIMIT 50; -- fifty at most, not more than 50\n",
        ),
    ]

    def run(self) -> None:
        from wardround.semantics.docdrift.comment_lines import SQL  # not needed where nothing changed

        for one in stale_comments(self.source, SQL) if self.source.path.endswith(".sql") else ():
            if abs(one.swap.line - one.line) <= _NEAR and self._is_meant(one):
                self.report(*describe(one))

    def _is_meant(self, one: Found) -> bool:
        """Whether words speak of what was exchanged; rows left out and parts of a name in them do not."""
        line = self.source.lines[one.line - 1]
        if "_" in one.swap.old and one.swap.old.lower() not in line.lower():
            return False
        return _ROW.search(line) is None
