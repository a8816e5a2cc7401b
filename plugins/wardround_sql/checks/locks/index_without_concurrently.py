from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import Node, members
from wardround_sql.parsing.statements import Statement
from wardround_sql.project import migration_files

_FIELD = LazyPattern(
    r"['\"](?P<name>\w+)['\"]\s*,\s*(?:field\s*=\s*)?[\w.]+\((?P<options>(?:[^()]|\([^()]*+\))*+)"
)
_INDEXED = LazyPattern(r"\bdb_index\s*=\s*True\b")


def keys(index: Node) -> Iterator[str]:
    """Yield the columns of an index."""
    for element in members(index.get("indexParams"), "IndexElem"):
        yield str(element.get("name", ""))


class IndexWithoutConcurrently(SqlCheck):
    """Index created on an existing table without CONCURRENTLY.

    Writes to the table are blocked until the index is built, which takes minutes on a large table. CREATE
    INDEX CONCURRENTLY does not block writes; it cannot run inside a transaction, so it needs a migration of
    its own.

    The size of the table is unknown, so the severity is info. It is warn if another migration of the project
    uses CONCURRENTLY, which shows that its tables are large.
    """

    ID = "SQ022"
    NAME = "index-without-concurrently"
    PLANE = Plane.PERF
    DEFECT_CLASS = "index-without-concurrently"
    SEVERITY = Severity.INFO
    WORDS = ("index",)

    VALID = [
        code("""
            create index concurrently i on notes (a);
        """),
        code("""
            create table notes (a int);
            create index i on notes (a);
        """),
    ]
    INVALID = [
        code("""
            do $$
            begin
              execute '«create index i on notes (a)»';
            end $$;
        """),
        code("""
            «create index i on notes (a)»;
        """),
    ]

    def run(self) -> None:
        for statement in self.script.of("IndexStmt"):
            node = statement.node
            table = self.script.name_of(node.get("relation", {}))
            if node.get("concurrent") or self.script.is_new(table) or table.name in self._new_views:
                continue
            if self.script.migrates(statement) and not self._is_repeated(statement):
                text = f"writes to {table} are blocked while this index is built; add CONCURRENTLY"
                self.report_at(statement, text, severity=Severity.WARN if self._is_project_practice else None)

    def _is_repeated(self, statement: Statement) -> bool:
        """Return True if Django only repeats the declaration of a field that an earlier migration indexed."""
        if "AlterField" not in self.source.text or statement.node.get("idxname"):
            return False
        column = next(iter(keys(statement.node)), "")
        folder, project = self.source.path.rpartition("/")[0], self.source.project
        for path in project.files_with_word((column,), (f"{folder}/*.py",)):
            if path < self.source.path and _indexes_column(project.read(path) or "", column):
                return True
        return False

    @cached_property
    def _is_project_practice(self) -> bool:
        """Return True if the project builds indexes concurrently elsewhere, and this file is hand-written."""
        patterns = migration_files.set_patterns(self.script.path)
        used = self.script.source.project.files_with_word(("CONCURRENTLY", "concurrently"), patterns)
        return not self.script.is_generated and any(path != self.script.path for path in used)

    @property
    def _new_views(self) -> set[str]:
        """Names of materialized views of this file, which are not in use yet."""
        views = self.script.of("CreateTableAsStmt")
        return {statement.node.get("into", {}).get("rel", {}).get("relname", "") for statement in views}


def _indexes_column(migration: str, column: str) -> bool:
    """Return True if a migration declares a field with an index."""
    fields = (field for field in _FIELD.finditer(migration) if field["name"] == column)
    return any(_INDEXED.search(field["options"]) for field in fields)
