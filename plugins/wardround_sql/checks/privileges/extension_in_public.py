from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import option, text_of

_PLACED = frozenset(
    (
        "plpgsql",
        "pg_net",
        "pg_cron",
        "pgsodium",
        "supabase_vault",
        "pg_graphql",
        "pgjwt",
        "pgmq",
        "pg_stat_statements",
        "pgaudit",
        "wrappers",
    )
)
"""Extensions that choose their schema themselves."""


class ExtensionInPublic(SqlCheck):
    """Extension installed into a schema that an API exposes.

    Its functions and tables become part of the API and occupy names of the schema. Install it ``WITH SCHEMA
    extensions``.
    """

    ID = "SQ013"
    NAME = "extension-in-public"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    WORDS = ("extension",)

    CASE_PATH = "supabase/migrations/0002_change.sql"
    VALID = [
        code("""
            create extension if not exists "uuid-ossp" with schema extensions;
        """),
        code("""
            create extension pg_net;
        """),
    ]
    INVALID = [
        code("""
            «create extension citext»;
        """),
        code("""
            «create extension if not exists vector with schema public»;
        """),
    ]

    def run(self) -> None:
        for statement in self.script.of("CreateExtensionStmt"):
            name = statement.node.get("extname", "")
            where = text_of(option(statement.node.get("options"), "schema")) or self.script.default_schema
            if (
                name not in _PLACED
                and not self.script.is_non_production
                and self.script.exposure.serves(where)
            ):
                self.report_at(
                    statement,
                    f"extension {name} is installed into schema {where}, which the API exposes; "
                    "use WITH SCHEMA extensions",
                )
