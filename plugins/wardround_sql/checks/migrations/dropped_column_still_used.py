"""SQ203: dropped or renamed column that a query still uses."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane
from wardround.rules.maturity import Maturity
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.statements import Statement
from wardround_sql.project.column_references import first_use
from wardround_sql.schema.model import Name

_MAX_COLUMNS = 4
"""Maximum number of columns to search for per file."""


class DroppedColumnStillUsed(SqlCheck):
    """Column dropped or renamed by a migration, and still used by a query of the project.

    The query fails as soon as the migration has run. Change the query in the same commit or before, and drop
    the column after its last use is removed.
    """

    ID = "SQ203"
    NAME = "dropped-column-still-used"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.CONTRACT
    WORDS = ("drop", "rename")

    VALID = [
        code(
            """
            alter table notes drop column body;
            """,
            others={
                "src/q.ts": """
                const Q = `SELECT n.id, n.title
                  FROM notes n`;
                export const all = () => db.query(Q);
                """,
            },
        ),
        code(
            """
            alter table notes drop column body;
            """,
            others={
                "src/q.ts": """
                const Q = `SELECT n.id, n.body
                  FROM letters n`;
                export const all = () => db.query(Q);
                """,
            },
        ),
    ]
    INVALID = [
        code(
            """
            «alter table notes drop column body»;
            """,
            others={
                "src/q.ts": """
                const Q = `SELECT n.id, n.body
                  FROM notes n`;
                export const all = () => db.query(Q);
                """,
            },
        ),
        code(
            """
            begin;
            «alter table notes rename column body to text»;
            """,
            others={
                "app/q.py": """
                def f(cur):
                    cur.execute('SELECT body FROM notes')
                """,
            },
        ),
    ]

    def run(self) -> None:
        gone = [(entry, str(part.get("name", ""))) for entry, part in self.script.commands("AT_DropColumn")]
        gone += [
            (item, str(item.node.get("subname", "")))
            for item in self.script.of("RenameStmt")
            if item.node.get("renameType") == "OBJECT_COLUMN"
        ]
        for statement, column in gone[:_MAX_COLUMNS]:
            self._check_column(statement, column)

    def _check_column(self, statement: Statement, column: str) -> None:
        table = self.script.name_of(statement.node.get("relation", {}))
        if not column or not self.script.migrates(statement) or self.script.is_new(table):
            return
        if self._is_restored(table, column):
            return
        used = first_use(self.script, table, column)
        if used is not None:
            path, line = used
            self.report_at(
                statement,
                f"{path}:{line} still uses {column} of {table} and fails after this migration; "
                "change it first",
            )

    def _is_restored(self, table: Name, column: str) -> bool:
        """Return True if the column exists in the end, by this file or a later one."""
        known = self.script.own_schema.tables.get(table)
        return known is not None and column in known.columns
