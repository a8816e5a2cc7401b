"""SQ095."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.drift.word_checks import said, stale_words
from wardround.findings import Plane, Severity
from wardround_sql.check import SqlCheck

_STATE = "SELECT id FROM orders\n-- cancelled orders never reach the ledger\nWHERE state <> '{}';\n"
_FIRST = "-- newest first\nSELECT id FROM orders ORDER BY id {};\n"


_OLD = "-- Deletes what is a month old.\n{} WHERE seen < now() - interval '1 month';\n"


def _invalid(shape: str, was: str, now: str, line: int, column: int) -> Invalid:
    return Invalid(shape.format(now), line, column, path="a.sql", base=shape.format(was))


class StaleWords(SqlCheck):
    """A comment beside the statement says what this change made untrue.

    It states a number, a unit, a bound, an order or a value that the change exchanged for another right
    below. Whoever reads it takes the query for what it was. Change the comment in the same commit.
    """

    ID = "SQ095"
    NAME = "stale-words"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    TRIED_ON = (
        "1,500 newest commits of each of 14 repositories, 20,593 with 37,842 changed files of "
        "code: no hit, so nothing "
        "wrong and nothing proven"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(_STATE.format("draft"), path="a.sql"),
        Valid(
            _STATE.format("draft").replace("cancelled", "draft"),
            path="a.sql",
            base=_STATE.format("cancelled"),
        ),
        Valid(_FIRST.format("DESC"), path="a.sql", base=_FIRST.format("ASC")),
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
        from wardround.drift.worded_lines import SQL  # not needed where nothing changed

        for one in stale_words(self.source, SQL) if self.source.path.endswith(".sql") else ():
            self.report(*said(one))
