"""A file under review: its statements, its dialect, and its schema."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from functools import cached_property

from wardround.checks.source import SourceFile
from wardround.lazy import LazyPattern
from wardround_sql.frontends.registry import calls
from wardround_sql.frontends.string_assembly import AssembledText, DiscardedCall
from wardround_sql.locations import Locations
from wardround_sql.options import SqlOptions
from wardround_sql.parsing.dialects import POSTGRES, driver_of, named_dialect
from wardround_sql.parsing.pg_nodes import Node, content, members, text_of
from wardround_sql.parsing.statements import (
    Parsed,
    SqlFragment,
    Statement,
    Unparsed,
    batches,
    parse_fragment,
    parsed_about,
)
from wardround_sql.project import migration_files
from wardround_sql.project.file_dialect import FileDialect, file_dialect
from wardround_sql.schema.api_exposure import Exposure
from wardround_sql.schema.builder import build
from wardround_sql.schema.model import Name, Policy, Schema, Table, name_of
from wardround_sql.schema.subjects import subjects_of

_DUMP = LazyPattern(r"^-- PostgreSQL database dump", re.MULTILINE)
_SIBLINGS = 200
"""Maximum number of files of the same migration set to read; a common table's name is in many."""

_ELSEWHERE = 40
"""Maximum number of files outside the migration set to read for one table."""


class SqlDocument:
    """File that contains SQL; built once per file and shared by all checks."""

    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self.path = source.path
        self.text = source.text
        self.options: SqlOptions = source.options or SqlOptions()
        self.is_sql = self.path.endswith(migration_files.SUFFIXES)

    @cached_property
    def dialect(self) -> str:
        """``postgres``, or sqlglot's name of the file's dialect."""
        return self._dialect.name

    @cached_property
    def _dialect(self) -> FileDialect:
        driver = "" if self.is_sql else driver_of(self.text)
        if driver:
            return FileDialect(driver)
        return file_dialect(self.path, self.sql, self.options, self.source.project)

    @cached_property
    def sql(self) -> str:
        """SQL of the file as one string, for pattern searches."""
        return self.text if self.is_sql else "\n".join(fragment.text for fragment in self._embedded_fragments)

    @cached_property
    def _embedded_fragments(self) -> list[SqlFragment]:
        return list(calls(self.path, self.text).fragments)

    @cached_property
    def built(self) -> tuple[AssembledText, ...]:
        """Texts with holes that code passes to a database."""
        return () if self.is_sql else calls(self.path, self.text).built

    @cached_property
    def discarded(self) -> tuple[DiscardedCall, ...]:
        """Method calls that narrow a statement and discard the result."""
        return () if self.is_sql else calls(self.path, self.text).discarded

    @cached_property
    def is_postgres(self) -> bool:
        return self.dialect == POSTGRES

    @cached_property
    def fragments(self) -> list[SqlFragment]:
        """SQL of the file: the entire file, or the string literals that are certain to be SQL."""
        if not self.is_sql:
            return self._embedded_fragments
        fragment = SqlFragment(
            self.text, migrates=migration_files.is_migration(self.path, self.options.migrations)
        )
        return [fragment if self.is_postgres else batches(fragment)]

    @cached_property
    def _parsed_fragments(self) -> list[Parsed]:
        return [parse_fragment(fragment, self.path) for fragment in self.fragments]

    @cached_property
    def is_template(self) -> bool:
        """Return True if the file is Jinja around SQL, as dbt models are."""
        return self.is_sql and any(item.template for item in self._parsed_fragments)

    @cached_property
    def all_statements(self) -> list[Statement]:
        """All statements that parse, those inside bodies after the enclosing statement."""
        if not self.is_postgres:
            return []
        return [s for item in self._parsed_fragments for s in item.statements]

    @cached_property
    def unparsed(self) -> list[Unparsed]:
        return [bad for item in self._parsed_fragments for bad in item.unparsed]

    @cached_property
    def statements(self) -> list[Statement]:
        """Statements of the forward migration, including those of DO blocks."""
        if migration_files.is_down(self.path):
            return []
        return [
            s for s in self.all_statements if not s.down and (s.outer is None or s.outer.kind == "DoStmt")
        ]

    @cached_property
    def queries(self) -> list[Statement]:
        """Statements of the forward migration, including those of function bodies."""
        return [] if migration_files.is_down(self.path) else [s for s in self.all_statements if not s.down]

    def of(self, *names: str) -> Iterator[Statement]:
        """Yield the statements of the given kinds, in order."""
        return (statement for statement in self.statements if statement.kind in names)

    def commands(self, *subtypes: str) -> Iterator[tuple[Statement, Node]]:
        """Yield the ALTER TABLE commands of the given subtypes, each with its statement."""
        for statement in self.of("AlterTableStmt"):
            for command in members(statement.node.get("cmds"), "AlterTableCmd"):
                if command.get("subtype") in subtypes and statement.node.get("objtype") == "OBJECT_TABLE":
                    yield statement, command

    # Kind of file

    @cached_property
    def is_non_production(self) -> bool:
        return migration_files.is_non_production(self.path)

    @cached_property
    def is_generated(self) -> bool:
        """Return True if a tool generated the statements, so that nobody chose their style."""
        written = migration_files.is_prisma(self.path) or "--> statement-breakpoint" in self.text
        written = written or "-- Running upgrade " in self.text
        return written or _DUMP.search(self.text) is not None

    def migrates(self, statement: Statement) -> bool:
        """Return True if PostgreSQL runs the statement against a database in use."""
        return statement.fragment.migrates and not self.is_non_production and self.is_certainly_postgres

    @cached_property
    def is_certainly_postgres(self) -> bool:
        """Return True if nothing in the project indicates another database."""
        return self._dialect.is_certainly_postgres

    @cached_property
    def exposure(self) -> Exposure:
        return Exposure(self.source, self.options)

    def is_exposed(self, name: Name) -> bool:
        """Return True if clients can reach a table, view or function through an API."""
        return not self.is_non_production and self.exposure.serves(name.schema)

    # Schema

    @cached_property
    def default_schema(self) -> str:
        """Schema of unqualified names: the first of the search path that the file sets."""
        for statement in self.of("VariableSetStmt"):
            if statement.node.get("name") == "search_path" and statement.node.get("args"):
                constant = content(statement.node["args"][0], "A_Const") or {}
                name = constant.get("sval", {}).get("sval") or text_of(statement.node["args"][0])
                if name and name not in ("$user", "pg_catalog"):
                    return str(name)
        return "public"

    def name_of(self, relation: Node) -> Name:
        return name_of(relation, self.default_schema)

    @cached_property
    def own_schema(self) -> Schema:
        """Schema that the statements of this file alone produce."""
        return build(self.statements, self.default_schema)

    @cached_property
    def set_schema(self) -> Schema:
        """Schema that the migration set produces, limited to the tables that this file names."""
        return build(self.set_statements, self.default_schema)

    @cached_property
    def set_statements(self) -> list[Statement]:
        """Statements of the migration set in file order, limited to the tables that this file names."""
        before: list[Statement] = []
        after: list[Statement] = []
        for path, text in self.siblings(sorted(self.subjects)):
            others = parsed_about(text, path, tuple(sorted(self.subjects)))
            (before if migration_files.order(path) < migration_files.order(self.path) else after).extend(
                others
            )
        return [*before, *self.statements, *after]

    def policies_of(self, name: Name) -> list[Policy]:
        """Return the policies of any table, including tables that this file does not name."""
        if name.name in self.subjects:
            return self.set_schema.policies_of(name)
        if name.name not in self._other_schemas:
            found: list[Statement] = []
            for path, text in self.siblings([name.name]):
                found += parsed_about(text, path, (name.name,))
            self._other_schemas[name.name] = build(found, self.default_schema)
        return self._other_schemas[name.name].policies_of(name)

    @cached_property
    def _other_schemas(self) -> dict[str, Schema]:
        """Schemas of tables that this file does not name."""
        return {}

    def siblings(self, names: list[str]) -> Iterator[tuple[str, str]]:
        """Yield path and text of the other files of the migration set that contain one of the names."""
        if not names or not self.is_sql:
            return
        project = self.source.project
        paths = project.files_with_word(names, migration_files.set_patterns(self.path))
        own = bisect.bisect_left(paths, self.path)
        nearest = sorted(range(len(paths)), key=lambda number: abs(number - own))[:_SIBLINGS]
        for path in sorted((paths[number] for number in nearest), key=migration_files.order):
            text = project.read(path) if self._is_sibling(path) else None
            if text is not None:
                yield path, text

    def _is_sibling(self, path: str) -> bool:
        if path == self.path or not path.endswith(".sql") or migration_files.is_down(path):
            return False
        if named_dialect(path) not in ("", self.dialect):
            return False
        root = migration_files.set_root(self.path)
        return migration_files.has_set(self.path) or path.rpartition("/")[0] == root

    def known_table(self, name: Name) -> Table | None:
        """Return the columns of a table from the migration set, else from other SQL of the project."""
        if name not in self._known_tables:
            own = self.set_schema.tables.get(name) if self.is_postgres else None
            self._known_tables[name] = own if own is not None and own.columns else self._table_elsewhere(name)
        return self._known_tables[name]

    @cached_property
    def _known_tables(self) -> dict[Name, Table | None]:
        return {}

    def _table_elsewhere(self, name: Name) -> Table | None:
        """Return a table as the SQL files of the project create it."""
        found: list[Statement] = []
        for path in self.source.project.files_with_word((name.name,), ("*.sql",))[:_ELSEWHERE]:
            text = (
                None
                if migration_files.is_down(path) or migration_files.is_non_production(path)
                else self.source.project.read(path)
            )
            if text is not None and path != self.path:
                found += parsed_about(text, path, (name.name,))
        return build(found, name.schema).tables.get(name) if found else None

    @cached_property
    def subjects(self) -> set[str]:
        """Names of the tables, views and functions that the statements define or change."""
        return subjects_of(self.statements)

    def policy(self, statement: Statement) -> Policy | None:
        """Return the policy that CREATE or ALTER POLICY defines, if it still exists after the set."""
        return self.set_schema.policy(statement, self.name_of(statement.node.get("table", {})))

    def conditions(self, statement: Statement) -> list[Node]:
        """Return WITH CHECK and USING of a policy statement, unless a later statement replaces them."""
        policy, node = self.policy(statement), statement.node
        if policy is None and statement.kind == "CreatePolicyStmt":
            return []
        values = (policy.check, policy.using) if policy else (statement, statement)
        parts = zip(("with_check", "qual"), values, strict=True)
        return [node[part] for part, by in parts if part in node and by is statement]

    def is_new(self, name: Name) -> bool:
        """Return True if this file creates the table, so that it is empty and unused."""
        return name in self.own_schema.made

    @cached_property
    def locations(self) -> Locations:
        return Locations(self.text)
