"""SQ203: a migration drops or renames a column that a query of the project still names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.statements import Statement
from wardround_sql.project.column_references import first_use
from wardround_sql.schema.model import Name

_DROPS = "alter table notes drop column body;\n"
_READS = "const Q = `SELECT n.id, n.body\n  FROM notes n`;\nexport const all = () => db.query(Q);\n"
_MOST = 4
"""Columns of one file that are looked for at most."""
_ALEMBIC = "migrations/versions/1a2b_drop.py"


class DroppedColumnStillUsed(SqlCheck):
    """A migration drops or renames a column, and a query elsewhere in the project still names it.

    From the moment the migration has run, that query fails. Change the query in the same commit or before,
    and drop the column when nothing names it any more.
    """

    ID = "SQ203"
    NAME = "dropped-column-still-used"
    PLANE = Plane.CONTRACT
    WORDS = ("drop", "rename")
    TRIED_ON = "24 trees: no hit; what they dropped was no longer named, as it should be"

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid(_DROPS, others={"src/q.ts": _READS.replace("n.body", "n.title")}),
        valid(_DROPS, others={"src/q.ts": _READS.replace("notes", "letters")}),
        valid(_DROPS, others={"tests/q.test.ts": _READS}),
        valid(_DROPS, others={"db/migrations/0001_first.sql": "select n.body from notes n;\n"}),
        valid(_DROPS + "alter table notes add column body jsonb;\n", others={"src/q.ts": _READS}),
        valid(
            _DROPS,
            others={"src/q.ts": "const Q = `SELECT m.body FROM notes n JOIN mails m ON m.id = n.mail_id`;\n"},
        ),
        valid(
            _DROPS,
            others={
                "app/q.py": "def f(cur):\n    cur.execute('SELECT title AS body FROM notes ORDER BY body')\n"
            },
        ),
        valid("create table notes (body text);\n" + _DROPS, others={"src/q.ts": _READS}),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid(_DROPS, 1, 1, others={"src/q.ts": _READS}),
        invalid(
            "begin;\nalter table notes rename column body to text;\n",
            2,
            1,
            others={"app/q.py": "def f(cur):\n    cur.execute('SELECT body FROM notes')\n"},
        ),
        invalid(_DROPS, 1, 1, others={"db/queries/n.sql": "insert into notes (id, body) values ($1, $2);\n"}),
        invalid(
            "alter table if exists app.notes drop column if exists body cascade;\n",
            1,
            1,
            others={"app/q.py": "SAVE_SQL = 'UPDATE notes SET body = %s WHERE id = %s'\n"},
        ),
        Invalid(
            "def upgrade():\n    op.drop_column('notes', 'body')\n",
            2,
            5,
            path=_ALEMBIC,
            others={"src/q.ts": _READS},
        ),
    ]

    def run(self) -> None:
        gone = [(one, str(part.get("name", ""))) for one, part in self.script.commands("AT_DropColumn")]
        gone += [
            (one, str(one.node.get("subname", "")))
            for one in self.script.of("RenameStmt")
            if one.node.get("renameType") == "OBJECT_COLUMN"
        ]
        for statement, column in gone[:_MOST]:
            self._gone(statement, column)

    def _gone(self, statement: Statement, column: str) -> None:
        table = self.script.name_of(statement.node.get("relation", {}))
        if not column or not self.script.migrates(statement) or self.script.is_new(table):
            return
        if self._is_back(table, column):
            return
        used = first_use(self.script, table, column)
        if used is not None:
            path, line = used
            self.say(statement, f"{path}:{line} still names {column} of {table}, and fails once this has run")

    def _is_back(self, table: Name, column: str) -> bool:
        """Whether the column is there again in the end, by this file or a later one."""
        known = self.script.own.tables.get(table)
        return known is not None and column in known.columns
