from __future__ import annotations

from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.queries.facts import bare_limits
from wardround_sql.queries.nondeterministic import arbitrary_group_rows, chosen_rows
from wardround_sql.queries.row_intent import requests_specific_row


class LimitWithoutOrderBy(SqlCheck):
    """LIMIT without ORDER BY, which returns arbitrary rows.

    The rows depend on the query plan, the last vacuum and concurrent queries, so pages overlap or skip rows.
    Order by a unique column. ``LIMIT 1`` is reported only if the function's name implies an order, such as
    "latest", or the condition matches several rows; ``DISTINCT ON`` needs an order too.
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
        if self.script.is_non_production:
            return
        for fact in bare_limits(self.script):
            self.report(fact.span, f"LIMIT without ORDER BY returns arbitrary rows; add ORDER BY{fact.note}")
        for fact in arbitrary_group_rows(self.script):
            self.report(
                fact.span, "DISTINCT ON without ORDER BY keeps an arbitrary row of each group; add ORDER BY"
            )
        for fact in chosen_rows(self.script):
            if fact.parameter or requests_specific_row(
                self.source.text, self.script.locations.offset_of(fact.span)
            ):
                self.report(fact.span, "LIMIT 1 without ORDER BY returns an arbitrary row; add ORDER BY")
