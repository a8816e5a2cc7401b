"""SQ020: an UPDATE or DELETE of every row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Severity
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck
from wardround_sql.places import is_seed
from wardround_sql.queries import Write, writes


class WriteWithoutWhere(SqlCheck):
    """An UPDATE or DELETE has no WHERE and changes every row.

    If one row was meant, all others are lost with it. If all were meant, say so: ``TRUNCATE`` for emptying a
    table, ``WHERE true`` for the rest. A migration that fills a column it has just added is left alone.
    """

    ID = "SQ020"
    NAME = "write-without-where"
    WORDS = ("update", "delete")
    TRIED_ON = "langfuse: 7 read, 6 of them updates of every row on purpose: in migrations those are a note"

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("delete from notes where id = 1;\n"),
        valid("alter table notes add column b int;\nupdate notes set b = a;\n"),
        valid("create temp table t as select 1 as x;\ndelete from t;\n"),
        valid("delete from notes where true;\n"),
        valid("update notes set a = o.a from other o;\n"),
        Valid('cursor.execute("DELETE FROM notes WHERE id = %s", (1,))\n', path="app/store.py"),
        Valid('cursor.execute("DELETE FROM notes")\n', path="tests/test_store.py"),
        Valid("await db.query('DELETE FROM notes WHERE id = $1', [id])\n", path="src/store.ts"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid("delete from notes;\n", 1, 1),
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
            if self._is_meant(write):
                continue
            text = f"{write.verb} without WHERE changes every row of {write.table}{write.note}"
            in_migration = write.statement is None or write.statement.fragment.migrates
            level = Severity.INFO if write.verb == "UPDATE" and in_migration else None
            self.report(write.span, text, severity=level)

    def _is_meant(self, write: Write) -> bool:
        """Whether the table is this file's own, or the columns are those it has just added."""
        if write.statement is None:
            return False
        own = self.script.own.tables.get(write.table)
        if own is None:
            return write.table.name.startswith(("tmp", "temp", "_tmp", "old.", "new."))
        filled = write.verb == "UPDATE" and set(write.columns) <= set(own.columns)
        return own.created is not None or (filled and bool(write.columns))
