from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import Node, kinds
from wardround_sql.parsing.statements import Statement
from wardround_sql.schema.model import Name, Table


class TableWithoutRls(SqlCheck):
    """Table in an exposed schema without row-level security.

    PostgREST and Supabase serve every table of the exposed schemas to anyone with the public key, so without
    ``ENABLE ROW LEVEL SECURITY`` anyone can read and change all rows. Enable it in this migration and write
    the policies, or move the table to a schema that is not exposed.
    """

    ID = "SQ001"
    NAME = "table-without-rls"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    WORDS = ("create", "disable", "schema", "into")

    CASE_PATH = "supabase/migrations/0002_change.sql"
    VALID = [
        code("""
            create table notes (id int primary key);
            alter table notes enable row level security;
        """),
        code("""
            create table private.notes (id int);
        """),
    ]
    INVALID = [
        code("""
            create table «notes» (id int primary key);
        """),
        code("""
            -- für
            create table if not exists «public.notes» (id int);
            alter table other enable row level security;
        """),
    ]

    def run(self) -> None:
        self._check_disabling()
        self._check_new_tables()
        self._check_moves()

    def _check_disabling(self) -> None:
        """Report row-level security that is disabled in the end."""
        for statement, _ in self.script.commands("AT_DisableRowSecurity"):
            relation = statement.node.get("relation", {})
            name = self.script.name_of(relation)
            table = self.script.set_schema.tables.get(name)
            if self.script.is_exposed(name) and table is not None and table.rls is False:
                text = (
                    f"table {name}, exposed by the API, is open to everyone after this: row-level security "
                    "is disabled"
                )
                self.report_at(statement, text, relation.get("location"))

    def _check_new_tables(self) -> None:
        for statement in self.script.of("CreateStmt", "CreateTableAsStmt", "SelectStmt"):
            node = statement.node
            into = (node.get("into") or node.get("intoClause") or {}).get("rel")
            relation = into or node.get("relation", {})
            table = self.script.set_schema.made_by(statement)
            if table is None or not _is_permanent(statement, relation) or not self._is_open(table):
                continue
            if "partbound" in node:
                self._check_partition(statement, table)
            elif self.script.is_exposed(self.script.name_of(relation)):
                text = f"table {table.name} is exposed by the API without row-level security; enable it"
                self.report_at(statement, text, relation.get("location"))

    def _check_partition(self, statement: Statement, table: Table) -> None:
        """Report a partition of a protected table; an unprotected parent is reported itself."""
        parents = [
            self.script.name_of(item) for item in kinds(statement.node.get("inhRelations"), "RangeVar")
        ]
        known = [self.script.set_schema.tables.get(name) for name in parents]
        if any(parent is not None and parent.rls for parent in known):
            text = (
                f"partition {table.name} has no row-level security of its own, so queries that name it "
                "bypass the policies of its parent; enable it"
            )
            self.report_at(statement, text, statement.node.get("relation", {}).get("location"), Severity.WARN)

    def _check_moves(self) -> None:
        """Report a private table that moves to an exposed schema."""
        for statement in self.script.of("AlterObjectSchemaStmt"):
            relation = statement.node.get("relation", {})
            old = self.script.name_of(relation)
            new = Name(statement.node.get("newschema", ""), old.name)
            table = self.script.set_schema.tables.get(new)
            came = statement.node.get("objectType") == "OBJECT_TABLE" and not self.script.is_exposed(old)
            if came and table is not None and table.created is not None and self._is_open(table):
                text = f"table {old} moves to an exposed schema without row-level security; enable it first"
                self.report_at(statement, text, relation.get("location"))

    def _is_open(self, table: Table) -> bool:
        """Return True if clients reach a table whose row-level security no statement sets."""
        schema = self.script.set_schema
        text = table.rls is not None or schema.is_enabled_by_loop(table.name)
        return self.script.is_exposed(table.name) and not text and not schema.has_no_privileges(table.name)


def _is_permanent(statement: Statement, relation: Node) -> bool:
    """Return True if a statement creates a permanent table in the database, not only in a model."""
    if relation.get("relpersistence") == "t":
        return False
    if statement.node.get("objtype", "OBJECT_TABLE") != "OBJECT_TABLE":
        return False
    return statement.fragment.migrates or not statement.fragment.modelled
