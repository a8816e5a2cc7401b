"""SQ067: what the database reads otherwise than it looks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.masking import masked_fragments, span_in
from wardround_sql.queries.dialect_traps import REPLACES, TRAPS, Trap, replaced

_ORACLE = "CREATE OR REPLACE PROCEDURE p(a IN VARCHAR2) AS\nBEGIN\n"


class DialectTrap(SqlCheck):
    """The statement means something else in the database it is written for.

    Oracle keeps ``''`` as NULL and numbers rows before it sorts them; SQL Server's ``@@IDENTITY`` is the
    key a trigger inserted; MySQL ignores foreign keys of MyISAM tables and those beside a column, and its
    ``utf8`` has no emoji; SQLite takes a name in double quotes for a text, until there is a column of that
    name; BigQuery reads every table of a wildcard. The message says what happens and what to write.
    """

    ID = "SQ067"
    NAME = "dialect-trap"
    WORDS = (
        "''", "rownum", "@@identity", "ident_current", "nolock", "uncommitted", "myisam", "utf8",
        "references", "partitioned", "find_in_set", "||", '"', "*`", "or replace",
    )  # fmt: skip
    TRIED_ON = "30 trees, few of them for these databases: no hit"

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("BEGIN\n  IF a IS NULL THEN\n    UPDATE t SET b = '', c = SYSDATE;\n  END IF;\nEND;\n/\n"),
        valid("SELECT * FROM (SELECT a FROM t ORDER BY b) WHERE ROWNUM <= 5;\nSELECT SYSDATE FROM dual;\n"),
        valid("INSERT INTO dbo.t (a) VALUES (1);\nSELECT SCOPE_IDENTITY();\nGO\n"),
        valid("-- was @@IDENTITY\nSELECT a FROM dbo.t;\nGO\n"),
        valid("CREATE TABLE `a` (b INT, FOREIGN KEY (b) REFERENCES c (id)) ENGINE=InnoDB CHARSET=utf8mb4;\n"),
        valid(
            'PRAGMA foreign_keys = ON;\nCREATE TABLE "t" ("a" TEXT, b TEXT);\nSELECT 1 FROM t WHERE b = '
            '"a";\n'
        ),
        valid("SELECT a FROM `p.d.events_*` WHERE _TABLE_SUFFIX = '20240101';\n", "bigquery/q.sql"),
        valid(
            "-- e is partitioned by day\nSELECT a FROM `p.d.e` WHERE day > '2024-01-01';\n", "bigquery/q.sql"
        ),
        valid("SELECT a FROM t WHERE b = '' AND c || 'x' = d::text;\n"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid(_ORACLE + "  IF a = '' THEN\n    NULL;\n  END IF;\nEND;\n/\n", 3, 8),
        invalid("SELECT a FROM t WHERE b <> '' AND d > SYSDATE;\n", 1, 25, "oracle/q.sql"),
        invalid("SELECT a, SYSDATE FROM t WHERE ROWNUM <= 5 ORDER BY b;\n", 1, 32),
        invalid("INSERT INTO dbo.t (a) VALUES (1);\nSELECT @@IDENTITY;\nGO\n", 2, 8),
        invalid("SELECT TOP 5 a FROM dbo.t WITH (NOLOCK) ORDER BY a;\nGO\n", 1, 33),
        invalid("CREATE TABLE `a` (b INT, FOREIGN KEY (b) REFERENCES c (id))\nENGINE = MyISAM;\n", 2, 1),
        invalid("CREATE TABLE a (b INT) ENGINE=InnoDB DEFAULT CHARSET=utf8;\n", 1, 46),
        invalid("CREATE TABLE a (b INT REFERENCES c (id)) ENGINE=InnoDB;\n", 1, 23),
        invalid("SELECT a FROM `t` WHERE FIND_IN_SET(?, b);\n", 1, 25, "mysql/q.sql"),
        invalid("SELECT a || 'x' FROM `t`;\n", 1, 10, "mysql/q.sql"),
        invalid('-- SQLite\nSELECT a FROM t WHERE b = "open";\n', 2, 27, "q.sql"),
        invalid("SELECT a FROM `p.d.events_*` WHERE b = 1;\n", 1, 15, "bigquery/q.sql"),
        invalid("-- e is partitioned by day\nSELECT a FROM `p.d.e` WHERE b = 1;\n", 2, 15, "bigquery/q.sql"),
        invalid("CREATE OR REPLACE TABLE t (a VARIANT);\n", 1, 1),
        Invalid(
            "import sqlite3\nc.execute('SELECT a FROM t WHERE b = \"open\"')\n",
            line=2,
            column=38,
            path="app/q.py",
        ),
    ]

    def run(self) -> None:
        script = self.script
        if script.is_postgres or script.is_spare:
            return
        for fragment, code in masked_fragments(script):
            for trap in self._traps(code, fragment.text, migrates=fragment.migrates):
                place = span_in(script, fragment, trap.start, trap.end)
                self.report(place, trap.says, severity=trap.severity)

    def _traps(self, code: str, text: str, *, migrates: bool) -> Iterator[Trap]:
        dialect = self.script.dialect
        if dialect in TRAPS:
            yield from TRAPS[dialect](code, text)
        if migrates and dialect in REPLACES:
            yield from replaced(code, text)
