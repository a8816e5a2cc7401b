from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import kinds


class AuthUsersExposed(SqlCheck):
    """View in an exposed schema that selects from ``auth.users``.

    The table holds e-mail addresses, phone numbers and tokens of all users, and the view shows the selected
    columns to all of its readers, regardless of the table's own protection. Copy public data into a separate
    table.
    """

    ID = "SQ012"
    NAME = "auth-users-exposed"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    WORDS = ("view",)

    CASE_PATH = "supabase/migrations/0002_change.sql"
    VALID = [
        code("""
            create view private.people as select email from auth.users;
        """),
        code("""
            create view people as select name from profiles;
        """),
    ]
    INVALID = [
        code("""
            create view people as select email from «auth.users»;
        """),
        code("""
            create view people with (security_invoker = on) as
            select p.name, u.email
            from profiles p join «auth.users» u on u.id = p.id;
        """),
    ]

    def run(self) -> None:
        for statement in self.script.of("ViewStmt", "CreateTableAsStmt"):
            if statement.node.get("objtype", "OBJECT_MATVIEW") != "OBJECT_MATVIEW":
                continue
            relation = statement.node.get("view") or statement.node.get("into", {}).get("rel", {})
            name = self.script.name_of(relation)
            if not self.script.is_exposed(name) or self.script.set_schema.is_unreadable(name):
                continue
            for table in kinds(statement.node.get("query"), "RangeVar"):
                if (table.get("schemaname"), table.get("relname")) == ("auth", "users"):
                    self.report_at(
                        statement,
                        f"view {name} exposes auth.users to all of its readers; "
                        "copy public columns into a table",
                        table.get("location"),
                    )
                    break
