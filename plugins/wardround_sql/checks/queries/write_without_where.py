"""SQ020: an UPDATE or DELETE of every row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Severity
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import column_name, content
from wardround_sql.project.migration_files import is_seed
from wardround_sql.queries.facts import Write, conjuncts
from wardround_sql.queries.unfiltered_writes import writes


class WriteWithoutWhere(SqlCheck):
    """An UPDATE or DELETE has no WHERE and changes every row.

    If one row was meant, all others are lost with it. If all were meant, say so: ``TRUNCATE`` for emptying a
    table, ``WHERE true`` for the rest. A migration that fills a column it has just added keeps everybody
    from the table until the last row is written; both together are a note.
    """

    ID = "SQ020"
    NAME = "write-without-where"
    WORDS = ("update", "delete")
    TRIED_ON = (
        "langfuse: 7 read, 6 of them updates of every row on purpose: in migrations those "
        "are a note; redash, linkding, formbricks: 9 backfills and ORM calls read, all true: a note"
    )

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("delete from notes where id = 1;\n"),
        valid("create table notes (a int, b int);\nupdate notes set b = a;\n"),
        valid("alter table notes add column b int;\nupdate notes set b = a;\n", path="db/change.sql"),
        Valid("session.execute(update(Note).where(Note.id == 1).values(a=1))\n", path="app/store.py"),
        Valid("Note.objects.filter(id=1).delete()\n", path="app/store.py"),
        Valid("Note.where(id: 1).update_all(a: 1)\n", path="app/models/note.rb"),
        valid("create temp table t as select 1 as x;\ndelete from t;\n"),
        valid("delete from notes where true;\n"),
        valid("update notes set a = o.a from other o where o.id = notes.id;\n"),
        valid("with o as (select max(a) as a from other) update notes set a = o.a from o;\n"),
        Valid('cursor.execute("DELETE FROM notes WHERE id = %s", (1,))\n', path="app/store.py"),
        Valid('cursor.execute("DELETE FROM notes")\n', path="tests/test_store.py"),
        Valid('def clear(cursor, table):\n    cursor.execute(f"DELETE FROM {table}")\n', path="app/store.py"),
        Valid("await db.query('DELETE FROM notes WHERE id = $1', [id])\n", path="src/store.ts"),
        valid("with taken as (delete from queue returning id) select count(*) from taken;\n"),
        valid("with moved as (delete from a returning *) insert into b select * from moved;\n"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "import { Knex } from 'knex';\nasync function f(trx: Knex) {\n  const items = trx('notes');\n"
            "  await items.delete();\n}\n",
            line=4,
            column=15,
            path="src/q.ts",
        ),
        invalid("delete from notes;\n", 1, 1),
        invalid("update notes set a = o.a from other o;\n", 1, 1),
        invalid("with old as (select id from notes)\ndelete from notes;\n", 2, 13),
        invalid("alter table notes add column b int;\nupdate notes set b = a;\n", 2, 1),
        Invalid("session.execute(delete(Note))\n", line=1, column=17, path="app/store.py"),
        Invalid("session.query(Note).update({Note.a: 1})\n", line=1, column=1, path="app/store.py"),
        Invalid("Note.objects.all().delete()\n", line=1, column=1, path="app/store.py"),
        Invalid("Note.update_all(a: 1)\n", line=1, column=1, path="app/models/note.rb"),
        Invalid(
            "DROP = 'DELETE FROM notes'\ndef clear(c):\n    c.execute(DROP)\n",
            line=1,
            column=9,
            path="app/store.py",
        ),
        invalid("alter table a add column b int;\nupdate a set b = c where b is null;\n", 2, 1),
        invalid("-- é\nselect 1; update notes set a = 'é';\n", 2, 11),
        invalid(
            "create function f() returns void language plpgsql as $$\nbegin\n  delete from notes;\nend $$;\n",
            3,
            3,
        ),
        Invalid(
            'def clear(cursor):\n    cursor.execute("DELETE FROM notes")\n',
            line=2,
            column=21,
            path="app/store.py",
        ),
        Invalid("await db.query(`UPDATE notes SET a = 1`)\n", line=1, column=17, path="src/store.ts"),
        invalid("DELETE FROM `notes`;\nCREATE TABLE `x` (id INT AUTO_INCREMENT) ENGINE=InnoDB;\n", 1, 1),
    ]

    def run(self) -> None:
        if self.script.is_spare or self.script.is_template or is_seed(self.source.path):
            return
        for write in writes(self.script):
            if self._is_meant(write) or write.table.name.startswith("{"):
                continue
            text = f"{write.verb} without WHERE changes every row of {write.table}{write.note}"
            if self._is_backfill(write):
                text = (
                    f"this fills every row of {write.table} while the lock of ALTER TABLE is held; fill "
                    f"it in "
                    "batches, in a migration of its own"
                )
            self.report(write.span, text, severity=self._level(write))
        self._half_filled()

    def _half_filled(self) -> None:
        """UPDATE of the rows that have no value yet in a column which the file has just added: all of
        them.
        """
        for statement in self.script.of("UpdateStmt"):
            node = statement.node
            tests = [content(part, "NullTest") for part in conjuncts(node.get("whereClause"))]
            if not tests or not all(tests) or "fromClause" in node or not self.script.migrates(statement):
                continue
            tested = {name for test in tests if test for name in column_name(test.get("arg"))[-1:]}
            own = self.script.own.tables.get(self.script.name_of(node.get("relation", {})))
            if (
                own is not None
                and own.created is None
                and tested & set(own.columns)
                and statement.outer is None
            ):
                self.say(
                    statement,
                    f"this fills every row of {own.name} while the lock of ALTER TABLE is held; fill it in "
                    "batches, in a migration of its own",
                    severity=Severity.INFO,
                )

    def _level(self, write: Write) -> Severity | None:
        """A note where every row is plainly meant: in migrations, and where an ORM has to be asked for it."""
        fragment = write.statement.fragment if write.statement else None
        in_migration = write.verb == "UPDATE" and (fragment is None or fragment.migrates)
        return Severity.INFO if in_migration or (fragment is not None and fragment.modelled) else None

    def _is_backfill(self, write: Write) -> bool:
        """Whether an UPDATE fills columns that this migration has just added to a table in use."""
        own = self.script.own.tables.get(write.table)
        added = own is not None and own.created is None and set(write.columns) <= set(own.columns)
        return write.verb == "UPDATE" and bool(write.columns) and added

    def _is_meant(self, write: Write) -> bool:
        """Whether the table is this file's own, or the columns are those it has just added."""
        if write.statement is None:
            return False
        own = self.script.own.tables.get(write.table)
        if own is None:
            return write.table.name.startswith(("tmp", "temp", "_tmp", "old.", "new."))
        return own.created is not None or (
            self._is_backfill(write) and not self.script.migrates(write.statement)
        )
