"""SQ018: a foreign key without an index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck
from wardround_sql.schema.model import Name


class UnindexedForeignKey(SqlCheck):
    """The columns of a foreign key have no index.

    Postgres indexes the table a key points at, not the one it points from. Each DELETE or key change over
    there then reads this whole table, and so does every join. Create an index that begins with these
    columns.
    """

    ID = "SQ018"
    NAME = "unindexed-foreign-key"
    PLANE = Plane.PERF
    SEVERITY = Severity.INFO
    WORDS = ("references",)
    TRIED_ON = (
        "hoppscotch, basejump: 5 read, all true, seldom acted on: a note; redash's models: 14 read, all true"
    )

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("create table a (b_id int references b (id));\ncreate index on a (b_id);\n"),
        valid("create table a (b_id int primary key references b (id));\n"),
        valid("create table a (x int, y int, primary key (x, y), foreign key (y, x) references b (y, x));\n"),
        valid(
            "alter table a add constraint k foreign key (b_id) references b (id);\n",
            others={"db/migrations/0001_a.sql": "create index i on a (b_id, c);\n"},
        ),
        valid("create table a (b_id int references b (id));\ndrop table a;\n"),
        valid(
            "create table a (b_id int references b (id));\ncreate index on a (b_id) where b_id is not null;\n"
        ),
        valid(
            "create table a (b_id int references b (id), gone timestamptz);\n"
            "create unique index on a (b_id) where gone is null;\n"
        ),
        Valid(
            "def upgrade():\n    op.create_foreign_key('k', 'a', 'b', ['b_id'], ['id'])\n",
            path="migrations/versions/1a2b_add.py",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid("create table a (\n  id int primary key,\n  b_id int references b (id)\n);\n", 3, 12),
        invalid("alter table a add constraint k foreign key (b_id) references b (id) not valid;\n", 1, 19),
        invalid("create table a (x int, y int references b (id), unique (x, y));\n", 1, 30),
        Invalid(
            "def upgrade():\n    op.create_table(\n        'a',\n        sa.Column('id', "
            "sa.Integer, primary_key=True),\n"
            "        sa.Column('b_id', sa.Integer, sa.ForeignKey('b.id')),\n"
            "        sa.Column('c_id', sa.Integer, sa.ForeignKey('c.id'), index=True),\n    )\n",
            line=5,
            column=19,
            path="migrations/versions/1a2b_add.py",
        ),
        Invalid(
            "class A < ActiveRecord::Migration[7.1]\n  def change\n    create_table :a do |t|\n"
            "      t.references :c, foreign_key: true\n      t.references :b, foreign_key: "
            "true, index: false\n"
            "    end\n  end\nend\n",
            line=5,
            column=7,
            path="db/migrate/20240101000000_a.rb",
        ),
        invalid(
            "create table a (b_id int references b (id));\ncreate index on a (b_id) where b_id > 5;\n", 1, 26
        ),
    ]

    def run(self) -> None:
        whole = self.script.whole
        for key in (key for held in whole.foreign_keys.values() for key in held):
            if not self.is_here(key.statement) or not key.columns or self.script.is_spare:
                continue
            table = whole.tables.get(key.table)
            if not self.script.is_sql and not self._is_own(key.table, key.columns):
                continue  # an earlier migration may have made the index
            if table is None or table.partial or whole.is_indexed(key.table, key.columns):
                continue
            columns = ", ".join(key.columns)
            text = (
                f"foreign key ({columns}) of {key.table} to {key.target} has no index: deletes "
                f"there scan {key.table}"
            )
            self.say(key.statement, text, key.location)

    def _is_own(self, name: Name, columns: tuple[str, ...]) -> bool:
        """Whether the file makes the table, or the columns."""
        table = self.script.own.tables.get(name)
        return table is not None and (table.created is not None or set(columns) <= set(table.columns))
