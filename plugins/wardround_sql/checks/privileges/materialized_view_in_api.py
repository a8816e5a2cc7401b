from __future__ import annotations

from wardround.findings import Plane
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck


class MaterializedViewInApi(SqlCheck):
    """Materialized view in a schema that an API exposes.

    Materialized views have no row-level security: every role with SELECT reads all rows. Move it to a schema
    that is not exposed, or revoke it from the API's roles.
    """

    ID = "SQ015"
    NAME = "materialized-view-in-api"
    PLANE = Plane.SECURITY
    WORDS = ("materialized",)

    CASE_PATH = "supabase/migrations/0002_change.sql"
    VALID = [
        code("""
            create materialized view m as select 1;
            alter materialized view m set schema private;
        """),
        code("""
            create materialized view private.totals as select sum(x) from notes;
        """),
    ]
    INVALID = [
        code("""
            create materialized view «totals» as select sum(x) from notes;
        """),
        code("""
            create materialized view if not exists «public.totals» as select 1 as x with no data;
        """),
    ]

    def run(self) -> None:
        for statement in self.script.of("CreateTableAsStmt"):
            if statement.node.get("objtype") != "OBJECT_MATVIEW":
                continue
            relation = statement.node.get("into", {}).get("rel", {})
            name = self.script.name_of(relation)
            schema = self.script.set_schema
            if self.script.is_exposed(name) and not schema.is_unreadable(name) and name not in schema.moved:
                text = (
                    f"materialized view {name} is exposed by the API without row-level security; "
                    "move or revoke it"
                )
                self.report_at(statement, text, relation.get("location"))
