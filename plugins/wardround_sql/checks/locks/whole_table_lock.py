from __future__ import annotations

from collections.abc import Iterator

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import Node, kinds, option
from wardround_sql.parsing.statements import Statement

_ACCESS_EXCLUSIVE = 8
"""libpg_query's number of the lock mode."""


class WholeTableLock(SqlCheck):
    """VACUUM FULL, CLUSTER, LOCK TABLE, REINDEX or REFRESH that locks an entire table.

    ``VACUUM FULL`` and ``CLUSTER`` rewrite the table and block all reads meanwhile; a plain ``VACUUM`` or
    pg_repack frees space without that lock. ``LOCK TABLE`` without a mode waits for all running queries and
    blocks all later ones: lock the rows (``SELECT ... FOR UPDATE``), or take an advisory lock. Add
    ``CONCURRENTLY`` to ``REINDEX`` and ``REFRESH MATERIALIZED VIEW``.
    """

    ID = "SQ055"
    NAME = "whole-table-lock"
    PLANE = Plane.PERF
    DEFECT_CLASS = "whole-table-locked"
    WORDS = ("vacuum", "cluster", "lock ", "reindex", "refresh")

    CASE_PATH = "ops/nightly.sql"
    VALID = [
        code("""
            vacuum (analyze) notes;
        """),
        code("""
            vacuum notes;
        """),
    ]
    INVALID = [
        code("""
            «vacuum full notes»;
        """),
        code("""
            select 1;
            «cluster notes using i»;
        """),
    ]

    def run(self) -> None:
        if self.script.is_non_production or not self.script.is_certainly_postgres:
            return
        for statement in self.script.queries:
            words = next(self._locks(statement), None)
            if words is not None:
                text, level = words
                self.report_at(statement, text, severity=level)

    def _locks(self, statement: Statement) -> Iterator[tuple[str, Severity | None]]:
        node = statement.node
        match statement.kind:
            case "VacuumStmt" if option(node.get("options"), "full") is not None and node.get("is_vacuumcmd"):
                yield (
                    "VACUUM FULL rewrites the table and blocks reads meanwhile; use VACUUM or pg_repack",
                    None,
                )
            case "ClusterStmt":
                yield "CLUSTER rewrites the table and blocks reads meanwhile; use pg_repack", None
            case "LockStmt" if node.get("mode") == _ACCESS_EXCLUSIVE:
                yield from self._lock(statement, node)
            case "ReindexStmt" if (
                "concurrently" not in statement.text.lower() and not self._is_reported_elsewhere(statement)
            ):
                yield "REINDEX blocks writes while the index is built; add CONCURRENTLY", Severity.INFO
            case "RefreshMatViewStmt" if not node.get("concurrent") and not self._is_new_view(node):
                yield "REFRESH blocks reads of the view while it is filled; add CONCURRENTLY", Severity.INFO

    def _lock(self, statement: Statement, node: Node) -> Iterator[tuple[str, Severity | None]]:
        tables = [self.script.name_of(relation) for relation in kinds(node.get("relations", []), "RangeVar")]
        if not all(self.script.is_new(table) for table in tables):
            name = ", ".join(str(item) for item in tables)
            migrates = statement.fragment.migrates
            yield (
                f"LOCK TABLE blocks every query on {name} until this transaction ends; lock the rows instead",
                Severity.INFO if migrates else None,
            )

    def _is_reported_elsewhere(self, statement: Statement) -> bool:
        """Return True if squawk, or the rule for migrations in code, reports it too."""
        return statement.fragment.migrates

    def _is_new_view(self, node: Node) -> bool:
        """Return True if this file creates the view, so that it has no readers yet."""
        name = node.get("relation", {}).get("relname")
        created = (s.node.get("into", {}).get("rel", {}) for s in self.script.of("CreateTableAsStmt"))
        return any(item.get("relname") == name for item in created)
