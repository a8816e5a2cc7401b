"""SQ036: a moment without its zone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck
from wardround_sql.queries.facts import typed_columns

_ZONE = LazyPattern(r"(?i)(?:^|_)(?:time_?zone|tz|tz_?name|zone)$")
_LOCAL = LazyPattern(r"(?i)(?:^|_)(?:local|wall)(?:_|$)|[a-z]Local$")

_DRIZZLE = LazyPattern(
    r"\b(?P<key>\w+)\s*:\s*(?P<call>timestamp)\(\s*(?:['\"][^'\"\n]*['\"]\s*,?\s*)?(?P<options>\{[^{}]*\})?\s*\)"
)


class TimestampWithoutZone(SqlCheck):
    """A column is a timestamp without time zone.

    It keeps what the clock showed and forgets where, so the same value is another moment for each session's
    time zone. ``timestamptz`` takes no more room and keeps the moment. What Prisma and pg_dump write is not
    reported: the type is not chosen there.
    """

    ID = "SQ036"
    NAME = "timestamp-without-zone"
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "timestamp-without-zone"
    READS = "code"
    WORDS = ("timestamp", "datetime")
    TRIED_ON = "storage: 2 read, both right: a note"

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("create table notes (at timestamptz);\n"),
        valid("create table notes (at timestamp with time zone);\n"),
        valid(
            "create table notes (at TIMESTAMP(3));\n", path="prisma/migrations/20240101000000_a/migration.sql"
        ),
        valid("create table notes (timestamp bigint);\n"),
        Valid(
            "import { pgTable, timestamp } from 'drizzle-orm/pg-core';\n"
            "export const a = pgTable('a', { at: timestamp('at', { withTimezone: true }).notNull() });\n",
            path="src/schema.ts",
        ),
        Valid(
            "class Note(Base):\n    __tablename__ = 'notes'\n    at = Column(DateTime)\n",
            path="app/models.py",
        ),
        valid("CREATE TABLE `notes` (`at` TIMESTAMP) ENGINE=InnoDB;\n"),
        valid("create table events (at timestamp, time_zone text);\n"),
        valid("create table events (starts_local timestamp without time zone);\n"),
        valid(
            'CREATE TABLE "Note" ("at" TIMESTAMP(3));\n',
            path="prisma/migrations/20240101000000_a/migration.sql",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid(
            'CREATE TABLE "Note" (\n  "at" TIMESTAMPTZ(3),\n  "until" TIMESTAMP(3)\n);\n',
            3,
            11,
            "prisma/migrations/20240101000000_a/migration.sql",
        ),
        invalid("create table notes (at timestamp);\n", 1, 24),
        Invalid(
            "import { pgTable, timestamp } from 'drizzle-orm/pg-core';\n"
            "export const a = pgTable('a', {\n  at: timestamp('at', { mode: 'date' }).notNull(),\n});\n",
            line=3,
            column=7,
            path="src/schema.ts",
        ),
        invalid("alter table notes\n  add column at timestamp(3) without time zone;\n", 2, 17),
        invalid("create table notes (at timestamp default now(), b timestamptz);\n", 1, 24),
        Invalid(
            "def upgrade():\n    op.add_column('notes', sa.Column('at', sa.DateTime(), nullable=True))\n",
            line=2,
            column=5,
            path="migrations/versions/1a2b_add.py",
        ),
        Invalid(
            "class Note(Base):\n    __tablename__ = 'notes'\n    at = Column(DateTime(timezone=True))\n"
            "    seen = Column(DateTime)\n",
            line=4,
            column=5,
            path="app/models.py",
        ),
    ]

    def run(self) -> None:
        if "drizzle-orm/pg-core" in self.source.text:
            self._of_drizzle()
        if not self.script.is_postgres or self.script.is_spare:
            return
        columns = typed_columns(self.script)
        if self.script.is_generated and not any(one.type == "timestamptz" for one in columns):
            return
        placed = {one.table for one in columns if _ZONE.search(one.column)}
        for found in columns:
            if found.type != "timestamp" or not found.statement:
                continue
            if found.table not in placed and not _LOCAL.search(found.column):
                self.report(found.span, f"{found.column} forgets the time zone; use timestamptz")

    def _of_drizzle(self) -> None:
        """Columns of Drizzle, from which it writes the migrations."""
        if self.script.is_spare:
            return
        for found in _DRIZZLE.finditer(self.source.text):
            if "withTimezone" not in (found["options"] or "") and not _LOCAL.search(found["key"]):
                place = self.script.span_of(found.start("call"), found.end("call"))
                self.report(place, f"{found['key']} forgets the time zone; pass {{ withTimezone: true }}")
