from __future__ import annotations

from wardround.findings import Plane
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck


class ForeignTableInApi(SqlCheck):
    """Foreign table in a schema that an API exposes.

    Foreign tables have no row-level security: every role with SELECT reads the remote system with the
    privileges of the server. Move it to a schema that is not exposed.
    """

    ID = "SQ016"
    NAME = "foreign-table-in-api"
    PLANE = Plane.SECURITY
    WORDS = ("foreign",)

    CASE_PATH = "supabase/migrations/0002_change.sql"
    VALID = [
        code("""
            create foreign table private.orders (id int) server shop;
        """),
        code(
            """
            create foreign table orders (id int) server shop;
            """,
            path="db/migrations/0002_change.sql",
        ),
    ]
    INVALID = [
        code("""
            create foreign table «orders» (id int) server shop;
        """),
        code("""
            select 1;
            create foreign table if not exists «public.orders» (id int) server shop;
        """),
    ]

    def run(self) -> None:
        for statement in self.script.of("CreateForeignTableStmt"):
            relation = statement.node.get("base", {}).get("relation", {})
            name = self.script.name_of(relation)
            schema = self.script.set_schema
            if self.script.is_exposed(name) and not schema.is_unreadable(name) and name not in schema.moved:
                text = (
                    f"foreign table {name} is exposed by the API without row-level security; "
                    "move it to another schema"
                )
                self.report_at(statement, text, relation.get("location"))
