from __future__ import annotations

from wardround.findings import Severity
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import Node, column_name, content
from wardround_sql.project.migration_files import is_seed
from wardround_sql.queries.fact_types import UnfilteredWrite
from wardround_sql.queries.selects import conjuncts
from wardround_sql.queries.unfiltered_writes import writes

_BACKFILL = (
    "UPDATE fills every row of {table} while ALTER TABLE holds its lock; fill it in batches, "
    "in a separate migration"
)


class WriteWithoutWhere(SqlCheck):
    """UPDATE or DELETE without WHERE, which changes every row.

    If only some rows were intended, the data of all others is lost. State the intention otherwise:
    ``TRUNCATE`` to empty a table, ``WHERE true`` for the rest. A migration that fills a column it has just
    added blocks the table until the last row is written. The severity is info in migrations and for calls of
    an ORM.
    """

    ID = "SQ020"
    NAME = "write-without-where"
    WORDS = ("update", "delete")

    VALID = [
        code("""
            delete from notes where id = 1;
        """),
        code("""
            create table notes (a int, b int);
            update notes set b = a;
        """),
    ]
    INVALID = [
        code(
            """
            import { Knex } from 'knex';
            async function f(trx: Knex) {
              const items = trx('notes');
              await items.«delete»();
            }
            """,
            path="src/q.ts",
        ),
        code("""
            «delete from notes»;
        """),
    ]

    def run(self) -> None:
        if self.script.is_non_production or self.script.is_template or is_seed(self.source.path):
            return
        for write in writes(self.script):
            if self._is_intended(write) or write.table.name.startswith("{"):
                continue
            text = f"{write.verb} without WHERE changes every row of {write.table}{write.note}"
            if self._is_backfill(write):
                text = _BACKFILL.format(table=write.table)
            self.report(write.span, text, severity=self._level(write))
        self._check_half_filled_update()

    def _check_half_filled_update(self) -> None:
        """Report UPDATE of the rows without a value in a column that the file has just added: all rows."""
        for statement in self.script.of("UpdateStmt"):
            tested = _columns_tested_for_null(statement.node)
            if not tested or statement.outer is not None or not self.script.migrates(statement):
                continue
            own = self.script.own_schema.tables.get(self.script.name_of(statement.node.get("relation", {})))
            if own is not None and own.created is None and tested & set(own.columns):
                self.report_at(statement, _BACKFILL.format(table=own.name), severity=Severity.INFO)

    def _level(self, write: UnfilteredWrite) -> Severity | None:
        """Return info where every row is evidently intended: in migrations, and for calls of an ORM."""
        fragment = write.statement.fragment if write.statement else None
        in_migration = write.verb == "UPDATE" and (fragment is None or fragment.migrates)
        return Severity.INFO if in_migration or (fragment is not None and fragment.modelled) else None

    def _is_backfill(self, write: UnfilteredWrite) -> bool:
        """Return True if an UPDATE fills columns that this migration has just added to a table in use."""
        own = self.script.own_schema.tables.get(write.table)
        added = own is not None and own.created is None and set(write.columns) <= set(own.columns)
        return write.verb == "UPDATE" and bool(write.columns) and added

    def _is_intended(self, write: UnfilteredWrite) -> bool:
        """Return True if this file creates the table, or has just added the columns."""
        if write.statement is None:
            return False
        own = self.script.own_schema.tables.get(write.table)
        if own is None:
            return write.table.name.startswith(("tmp", "temp", "_tmp", "old.", "new."))
        return own.created is not None or (
            self._is_backfill(write) and not self.script.migrates(write.statement)
        )


def _columns_tested_for_null(node: Node) -> set[str]:
    """Return the columns of a WHERE that consists of tests for NULL; empty for any other."""
    tests = [content(part, "NullTest") for part in conjuncts(node.get("whereClause"))]
    if not all(tests) or "fromClause" in node:
        return set()
    return {name for test in tests if test for name in column_name(test.get("arg"))[-1:]}
