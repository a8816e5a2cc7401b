"""SQ055: a statement that keeps everyone from a table while it runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import Node, kinds, option
from wardround_sql.parsing.statements import Statement

_ACCESS_EXCLUSIVE = 8
"""The number libpg_query gives to the lock mode."""


class WholeTableLock(SqlCheck):
    """VACUUM FULL, CLUSTER, LOCK TABLE, REINDEX or REFRESH keeps readers and writers from a whole table.

    ``VACUUM FULL`` and ``CLUSTER`` write the table anew; nobody can read it meanwhile. A plain ``VACUUM`` or
    pg_repack frees space beside the traffic. ``LOCK TABLE`` without a mode waits for every query, and every
    query
    waits for it: lock the rows (``SELECT ... FOR UPDATE``), or take an advisory lock. ``REINDEX`` and
    ``REFRESH
    MATERIALIZED VIEW`` have ``CONCURRENTLY``.
    """

    ID = "SQ055"
    NAME = "whole-table-lock"
    PLANE = Plane.PERF
    DEFECT_CLASS = "whole-table-locked"
    WORDS = ("vacuum", "cluster", "lock ", "reindex", "refresh")
    TRIED_ON = "20 trees: 5 hits, all read and true"

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("vacuum (analyze) notes;\n", path="ops/nightly.sql"),
        valid("vacuum notes;\n", path="ops/nightly.sql"),
        valid("reindex index concurrently i;\n", path="ops/nightly.sql"),
        valid("refresh materialized view concurrently v;\n", path="ops/nightly.sql"),
        valid(
            "create materialized view v as select a from notes with no data;\nrefresh materialized view v;\n"
        ),
        valid("lock table notes in share update exclusive mode;\n", path="ops/nightly.sql"),
        valid("create table notes (a int);\nlock table notes;\n"),
        Valid("cur.execute('LOCK TABLE notes')\n", path="tests/test_a.py"),
        Valid("#!/bin/sh\npsql -c 'VACUUM ANALYZE notes'\n", path="ops/nightly.sh"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid("vacuum full notes;\n", 1, 1, "ops/nightly.sql"),
        invalid("select 1;\ncluster notes using i;\n", 2, 1, "ops/nightly.sql"),
        invalid("reindex table notes;\n", 1, 1, "ops/nightly.sql"),
        invalid("refresh materialized view v;\n", 1, 1, "ops/nightly.sql"),
        Invalid(
            "def f(db):\n    db.execute(text('LOCK TABLE notes IN ACCESS EXCLUSIVE MODE'))\n",
            line=2,
            column=22,
            path="app/a.py",
        ),
        Invalid(
            '#!/bin/sh\nfor t in a b; do\n  psql -c "VACUUM (FULL, ANALYZE) ${t}"\ndone\n',
            line=3,
            column=12,
            path="ops/weekly.sh",
        ),
        Invalid("await db.query(`LOCK TABLE ${table}`);\n", line=1, column=17, path="src/a.ts"),
    ]

    def run(self) -> None:
        if self.script.is_spare or not self.script.surely_postgres:
            return
        for statement in self.script.queries:
            said = next(self._of(statement), None)
            if said is not None:
                text, level = said
                self.say(statement, text, severity=level)

    def _of(self, statement: Statement) -> Iterator[tuple[str, Severity | None]]:
        node = statement.node
        match statement.kind:
            case "VacuumStmt" if option(node.get("options"), "full") is not None and node.get("is_vacuumcmd"):
                yield "VACUUM FULL writes the table anew, and nobody can read it meanwhile", None
            case "ClusterStmt":
                yield "CLUSTER writes the table anew, and nobody can read it meanwhile", None
            case "LockStmt" if node.get("mode") == _ACCESS_EXCLUSIVE:
                yield from self._lock(statement, node)
            case "ReindexStmt" if "concurrently" not in statement.text.lower() and not self._is_told(
                statement
            ):
                yield "nobody can write while this index is built; add CONCURRENTLY", Severity.INFO
            case "RefreshMatViewStmt" if not node.get("concurrent") and not self._is_first(node):
                yield "nobody can read the view while it is filled; add CONCURRENTLY", Severity.INFO

    def _lock(self, statement: Statement, node: Node) -> Iterator[tuple[str, Severity | None]]:
        tables = [self.script.name_of(one) for one in kinds(node.get("relations", []), "RangeVar")]
        if not all(self.script.is_new(one) for one in tables):
            name = ", ".join(str(one) for one in tables)
            migrates = statement.fragment.migrates
            yield (
                f"every query on {name} waits until this transaction ends",
                Severity.INFO if migrates else None,
            )

    def _is_told(self, statement: Statement) -> bool:
        """Whether squawk, or the rule about migrations in code, says the same."""
        return statement.fragment.migrates

    def _is_first(self, node: Node) -> bool:
        """Whether this file makes the view, so that nobody reads it yet."""
        name = node.get("relation", {}).get("relname")
        made = (s.node.get("into", {}).get("rel", {}) for s in self.script.of("CreateTableAsStmt"))
        return any(one.get("relname") == name for one in made)
