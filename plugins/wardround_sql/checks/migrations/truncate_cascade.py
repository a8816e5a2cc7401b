from __future__ import annotations

from collections.abc import Iterator

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import Node, items, kinds, texts, type_name, unwrap
from wardround_sql.parsing.statements import Statement
from wardround_sql.project import migration_files
from wardround_sql.schema.model import Name, name_of_parts

_DISPOSABLE = LazyPattern(
    r"(?i)(?:^|_)(?:tmp|temp|staging|stage|stg|cache|queue|scratch|session|import|raw|buffer)s?(?:_|$)"
)
_RESETS = LazyPattern(r"(?i)(?:^|[/_.-])(?:reset|clean(?:up)?|wipe|purge|truncate|integration)(?=[/_.-]|$)")
"""Paths of files whose purpose is to empty tables."""
_CASCADED = {
    "OBJECT_SCHEMA": "schema",
    "OBJECT_TYPE": "type",
    "OBJECT_DOMAIN": "type",
    "OBJECT_TABLE": "table",
}


class TruncateCascade(SqlCheck):
    """TRUNCATE or DROP with CASCADE, or TRUNCATE of an existing table in a migration.

    ``TRUNCATE ... CASCADE`` empties every table that references this one, directly or indirectly, whatever
    their foreign keys define for deletes. ``DROP ... CASCADE`` also drops views and foreign keys and, for a
    type, the columns of that type. A migration that truncates a table it did not create loses its rows. Name
    the objects to remove, and keep a backup.
    """

    ID = "SQ057"
    NAME = "truncate-cascade"
    PLANE = Plane.CONTRACT
    DEFECT_CLASS = "truncate-cascade"
    WORDS = ("truncate", "cascade")

    VALID = [
        code(
            """
            truncate regions;
            """,
            path="etl/load.sql",
        ),
        code("""
            create table a (b int);
            truncate a;
        """),
    ]
    INVALID = [
        code(
            """
            «truncate regions restart identity cascade»;
            """,
            path="etl/load.sql",
        ),
        code(
            """
            cur.execute('«TRUNCATE regions CASCADE»')
            """,
            path="etl/load.py",
        ),
    ]

    def run(self) -> None:
        if self.script.is_non_production or not self.script.is_postgres:
            return
        if _RESETS.search(self.source.path) and not migration_files.is_migration(self.source.path):
            return
        for statement in self.script.queries:
            if statement.kind == "TruncateStmt":
                self._truncate(statement)
            elif statement.kind == "DropStmt" and statement.node.get("behavior") == "DROP_CASCADE":
                self._drop(statement)

    def _truncate(self, statement: Statement) -> None:
        name = next(self._emptied_tables(statement), None)
        if name is None:
            return
        if statement.node.get("behavior") == "DROP_CASCADE":
            if not (self.script.is_sql and statement.fragment.migrates):  # squawk reports it
                self.report_at(
                    statement,
                    f"CASCADE also empties every table that references {name}, "
                    "directly or indirectly; name the tables",
                )
        elif _runs_immediately(statement) and not migration_files.is_seed(self.source.path):
            self.report_at(statement, f"migration deletes all rows of {name}; keep a backup")

    def _emptied_tables(self, statement: Statement) -> Iterator[Name]:
        """Yield the existing tables of a TRUNCATE whose rows matter."""
        for relation in kinds(statement.node.get("relations", []), "RangeVar"):
            name = self.script.name_of(relation)
            if not self.script.is_new(name) and not _DISPOSABLE.search(name.name):
                yield name

    def _drop(self, statement: Statement) -> None:
        node = statement.node
        kind = _CASCADED.get(node.get("removeType", ""))
        if kind is None or not (_runs_immediately(statement) or kind == "schema"):
            return
        name = next((_name_of_node(object) for object in node.get("objects", [])), Name("public", ""))
        if (kind == "table" and self.script.is_new(name)) or name in self._created_names:
            return
        used = {"type": "the columns of this type", "schema": "every table in it"}.get(
            kind, "views and foreign keys"
        )
        level = Severity.INFO if kind == "table" else None
        self.report_at(statement, f"CASCADE also drops {used} with {name}; drop them by name", severity=level)

    @property
    def _created_names(self) -> set[Name]:
        """Types and schemas that this file creates."""
        enums = {name_of_parts(texts(s.node.get("typeName"))) for s in self.script.of("CreateEnumStmt")}
        return enums | {
            Name("public", s.node.get("schemaname", "")) for s in self.script.of("CreateSchemaStmt")
        }


def _runs_immediately(statement: Statement) -> bool:
    """Return True if the migration runs a statement itself, not a function that contains it."""
    is_called = statement.outer is not None and statement.outer.kind != "DoStmt"
    return statement.fragment.migrates and not is_called


def _name_of_node(node: Node) -> Name:
    kind, inside = unwrap(node)
    if kind == "TypeName":
        return Name("public", type_name(inside))
    return (
        Name("public", str(inside.get("sval", ""))) if kind == "String" else name_of_parts(texts(items(node)))
    )
