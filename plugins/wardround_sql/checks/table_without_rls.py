"""SQ001: a table clients can reach, without row-level security."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_sql.cases import EARLIER, api_invalid, api_valid, valid
from wardround_sql.check import SqlCheck


class TableWithoutRls(SqlCheck):
    """A table in a schema that an API serves has no row-level security.

    PostgREST and Supabase hand every table of the exposed schemas to whoever holds the public key. Without
    ``ENABLE ROW LEVEL SECURITY`` anyone reads and changes all rows. Enable it in this migration, and write
    the policies; or move the table to a schema that is not exposed.
    """

    ID = "SQ001"
    NAME = "table-without-rls"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    WORDS = ("create", "disable")
    TRIED_ON = (
        "8 fetched checkouts: 5 places in a service without an API were wrong and narrowed the signs "
        "of one; the 1 read since is right"
    )

    VALID: ClassVar[Sequence[str | Valid]] = [
        api_valid("create table notes (id int primary key);\nalter table notes enable row level security;\n"),
        api_valid("create table private.notes (id int);\n"),
        api_valid(
            "create table notes (id int);\n",
            {"supabase/migrations/0003_rls.sql": "alter table public.notes enable row level security;\n"},
        ),
        api_valid("create temp table notes (id int);\n"),
        api_valid("create table notes (id int);\n", {"supabase/config.toml": '[api]\nschemas = ["api"]\n'}),
        valid("create table notes (id int primary key);\n"),
        api_valid(
            "create table notes (id int);\ndo $$ declare t text; begin for t in select tablename "
            "from pg_tables loop\n"
            "execute format('alter table %I enable row level security', t); end loop; end $$;\n"
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        api_invalid("create table notes (id int primary key);\n", 1, 14),
        api_invalid(
            "-- für\ncreate table if not exists public.notes (id int);\nalter table other "
            "enable row level security;\n",
            2,
            28,
        ),
        api_invalid(
            "create table api.notes (id int);\n",
            1,
            14,
            {"supabase/config.toml": '[api]\nschemas = ["api"]\n'},
        ),
        api_invalid(
            "create table notes as select 1 as id;\n", 1, 14, {EARLIER: "create table other (id int);\n"}
        ),
        api_invalid(
            "create table notes (id int);\nalter table notes enable row level security;\n"
            "alter table notes disable row level security;\n",
            3,
            13,
        ),
    ]

    def run(self) -> None:
        self._look_at_disabling()
        self._look_at_new_tables()

    def _look_at_disabling(self) -> None:
        """Row-level security that was there and is taken away for good."""
        for statement, _ in self.script.commands("AT_DisableRowSecurity"):
            relation = statement.node.get("relation", {})
            name = self.script.name_of(relation)
            table = self.script.whole.tables.get(name)
            if self.script.is_exposed(name) and table is not None and table.rls is False:
                text = (
                    f"this opens table {name}, which the API serves, to everyone: no row-level "
                    "security is left"
                )
                self.say(statement, text, relation.get("location"))

    def _look_at_new_tables(self) -> None:
        for statement in self.script.of("CreateStmt", "CreateTableAsStmt"):
            into = statement.node.get("into", {}).get("rel")
            relation = into or statement.node.get("relation", {})
            kept = (
                relation.get("relpersistence") != "t"
                and statement.node.get("objtype", "OBJECT_TABLE") == "OBJECT_TABLE"
            )
            name = self.script.name_of(relation)
            if not kept or "partbound" in statement.node or not self.script.is_exposed(name):
                continue
            table = self.script.whole.tables.get(name)
            if (
                table is None
                or table.created is not statement
                or table.rls is not None
                or self.script.whole.enables_all
            ):
                continue
            self.say(
                statement,
                f"table {name} is served by the API and has no row-level security: anyone can "
                "read and change its rows",
                relation.get("location"),
            )
