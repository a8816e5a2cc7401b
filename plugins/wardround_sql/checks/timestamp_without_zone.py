"""SQ036: a moment without its zone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Severity
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck
from wardround_sql.queries import typed_columns


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
            "class Note(Base):\n    __tablename__ = 'notes'\n    at = Column(DateTime)\n",
            path="app/models.py",
        ),
        valid("CREATE TABLE `notes` (`at` TIMESTAMP) ENGINE=InnoDB;\n"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid("create table notes (at timestamp);\n", 1, 24),
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
        if self.script.is_generated or not self.script.is_postgres or self.script.is_spare:
            return
        for found in typed_columns(self.script):
            if found.type == "timestamp" and found.statement:
                self.report(found.span, f"{found.column} forgets the time zone; use timestamptz")
