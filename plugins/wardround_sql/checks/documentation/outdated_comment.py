"""SQ095: comment that a change made wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.semantics.docdrift.checks import describe, stale_comments
from wardround_sql.check import SqlCheck

if TYPE_CHECKING:
    from wardround.semantics.docdrift.stale_comments import StalePhrase as Found

_ROW = LazyPattern(r"--\s*\(.*\)\s*[,;]")
_NEAR = 10
"""Maximum distance in lines of a comment from its statement."""


class OutdatedComment(SqlCheck):
    """Comment next to a statement that this change made wrong.

    It states a number, a unit, a bound, an order or a value that the change replaced in the statement below,
    and misleads readers about the query. Change the comment in the same commit.
    """

    ID = "SQ095"
    NAME = "outdated-comment"
    DEFECT_CLASS = "stale-words"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    CASE_PATH = "a.sql"
    VALID = [
        code("""
            SELECT id FROM orders
            -- cancelled orders never reach the ledger
            WHERE state <> 'draft';
        """),
        code(
            """
            SELECT id FROM orders
            -- draft orders never reach the ledger
            WHERE state <> 'draft';
            """,
            base="""
            SELECT id FROM orders
            -- cancelled orders never reach the ledger
            WHERE state <> 'cancelled';
            """,
        ),
    ]
    INVALID = [
        code(
            """
            SELECT id FROM orders
            -- «cancelled» orders never reach the ledger
            WHERE state <> 'draft';
            """,
            base="""
            SELECT id FROM orders
            -- cancelled orders never reach the ledger
            WHERE state <> 'cancelled';
            """,
        ),
        code(
            """
            -- «newest first»
            SELECT id FROM orders ORDER BY id ASC;
            """,
            base="""
            -- newest first
            SELECT id FROM orders ORDER BY id DESC;
            """,
        ),
    ]

    def run(self) -> None:
        from wardround.semantics.docdrift.comment_lines import SQL  # only needed if something changed

        for stale_comment in stale_comments(self.source, SQL) if self.source.path.endswith(".sql") else ():
            if abs(stale_comment.swap.line - stale_comment.line) <= _NEAR and self._is_relevant(
                stale_comment
            ):
                self.report(*describe(stale_comment))

    def _is_relevant(self, result: Found) -> bool:
        """Return True if a comment refers to the replaced value, not to a row or a part of a name."""
        line = self.source.lines[result.line - 1]
        if "_" in result.swap.old and result.swap.old.lower() not in line.lower():
            return False
        return _ROW.search(line) is None
