"""SQ033: some rows, but which."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.queries.facts import bare_limits
from wardround_sql.queries.nondeterministic import any_of_each, chosen_rows, says_which


class LimitWithoutOrderBy(SqlCheck):
    """LIMIT without ORDER BY gives any rows.

    Which ones depends on the plan, on the last vacuum and on what else runs. Pages overlap or miss rows.
    Order by something unique. ``LIMIT 1`` is reported where the name of the function says that it wants the
    latest
    or the like, or where the condition leaves several rows; ``DISTINCT ON`` needs an order too.
    """

    ID = "SQ033"
    NAME = "limit-without-order-by"
    WORDS = ("limit", "fetch first", "fetch next", "distinct on")

    VALID = [
        code("""
            select a from notes order by id limit 10;
        """),
        code("""
            select a from notes where id = 5 limit 1;
        """),
    ]
    INVALID = [
        code("""
            -- name: LatestNote :one
            select a from notes where b = $1 limit «1»;
        """),
        code("""
            create function f() returns int language plpgsql as $$
            declare v int;
            begin
              select n into v from notes limit «5»;
              return v;
            end $$;
        """),
    ]

    def run(self) -> None:
        if self.script.is_spare:
            return
        for found in bare_limits(self.script):
            self.report(
                found.span, f"LIMIT without ORDER BY: which rows come out is left to chance{found.note}"
            )
        for found in any_of_each(self.script):
            self.report(
                found.span, "DISTINCT ON without ORDER BY: which row of each is kept is left to chance"
            )
        for found in chosen_rows(self.script):
            if found.parameter or says_which(self.source.text, self.script.offset_of(found.span)):
                self.report(
                    found.span, "LIMIT 1 without ORDER BY: which of the rows comes out is left to chance"
                )
