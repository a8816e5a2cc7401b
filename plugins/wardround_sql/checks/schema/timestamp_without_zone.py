from __future__ import annotations

from wardround.findings import Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.queries.fact_types import TypedColumn
from wardround_sql.queries.facts import typed_columns

_ZONE = LazyPattern(r"(?i)(?:^|_)(?:time_?zone|tz|tz_?name|zone)$")
_LOCAL = LazyPattern(r"(?i)(?:^|_)(?:local|wall)(?:_|$)|[a-z]Local$")

_DRIZZLE = LazyPattern(
    r"\b(?P<key>\w+)\s*:\s*(?P<call>timestamp)\(\s*(?:['\"][^'\"\n]*['\"]\s*,?\s*)?(?P<options>\{[^{}]*\})?\s*\)"
)


class TimestampWithoutZone(SqlCheck):
    """Column of type ``timestamp`` without time zone.

    It stores the clock time without the zone, so the same value is a different moment in each session's time
    zone. ``timestamptz`` takes the same space and stores the moment. Output of Prisma and pg_dump is not
    reported, since the type is not chosen there.
    """

    ID = "SQ036"
    NAME = "timestamp-without-zone"
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "timestamp-without-zone"
    READS = "code"
    WORDS = ("timestamp", "datetime")

    VALID = [
        code("""
            create table notes (at timestamptz);
        """),
        code("""
            create table notes (at timestamp with time zone);
        """),
    ]
    INVALID = [
        code(
            """
            CREATE TABLE "Note" (
              "at" TIMESTAMPTZ(3),
              "until" «TIMESTAMP»(3)
            );
            """,
            path="prisma/migrations/20240101000000_a/migration.sql",
        ),
        code("""
            create table notes (at «timestamp»);
        """),
    ]

    def run(self) -> None:
        if "drizzle-orm/pg-core" in self.source.text:
            self._check_drizzle()
        if self.script.is_postgres and not self.script.is_non_production:
            self._check_postgres()

    def _check_postgres(self) -> None:
        columns = typed_columns(self.script)
        if self.script.is_generated and not any(column.type == "timestamptz" for column in columns):
            return
        zoned = {column.table for column in columns if _ZONE.search(column.column)}
        for column in columns:
            if column.type != "timestamp" or column.table in zoned:
                continue
            if column.statement:
                self._plain(column)

    def _plain(self, column: TypedColumn) -> None:
        if not _LOCAL.search(column.column):
            self.report(column.span, f"{column.column} does not store the time zone; use timestamptz")

    def _check_drizzle(self) -> None:
        """Report Drizzle columns, from which it generates the migrations."""
        if self.script.is_non_production:
            return
        for match in _DRIZZLE.finditer(self.source.text):
            if "withTimezone" not in (match["options"] or "") and not _LOCAL.search(match["key"]):
                location = self.script.locations.span_of(match.start("call"), match.end("call"))
                self.report(
                    location, f"{match['key']} does not store the time zone; pass {{ withTimezone: true }}"
                )
