from __future__ import annotations

from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.masking import masked_fragments, span_in

_DROPPED = LazyPattern(
    r"(?i)\bwhen\s+others\s+then\s+null\s*;(?=\s*(?:end|when)\b)|\bbegin\s+catch\s*;?\s*end\s+catch\b|"
    r"\bhandler\s+for\s+sqlexception\s+begin\s+end\b"
)


class SwallowedSqlError(SqlCheck):
    """Handler that catches all errors and ignores them.

    ``WHEN OTHERS`` also catches unexpected errors: a missing table, a full disk, a cancelled query. The block
    is rolled back, and the caller continues as if it had succeeded. Name the expected condition (``WHEN
    unique_violation``), and log or raise the rest.
    """

    ID = "SQ068"
    NAME = "swallowed-sql-error"
    WORDS = ("others", "catch", "sqlexception")

    VALID = [
        code("""
            do $$ begin create type a as enum ('b'); exception when duplicate_object then null; end $$;
        """),
        code("""
            do $$ begin perform f(); exception when others then raise notice 'x'; end $$;
        """),
    ]
    INVALID = [
        code("""
            do $$
            begin
              perform f();
            exception
              «when others then»
                null;
            end $$;
        """),
        code("""
            CREATE PROCEDURE dbo.p AS
            BEGIN TRY EXEC dbo.q; END TRY
            «BEGIN CATCH»
            END CATCH;
            GO
        """),
    ]

    def run(self) -> None:
        if self.script.is_non_production:
            return
        for fragment, masked in masked_fragments(self.script):
            for match in _DROPPED.finditer(masked):
                location = span_in(self.script, fragment, *match.span())
                self.report(location, "handler catches and ignores every error; name the expected one")
