from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_sql.check import SqlCheck


class RlsWithoutPolicy(SqlCheck):
    """Row-level security enabled on a table without any policy.

    Only the owner and roles that bypass row-level security see rows. That is correct for tables that only the
    server uses; if clients read the table, add a policy.
    """

    ID = "SQ009"
    NAME = "rls-without-policy"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    WORDS = ("row level security",)

    CASE_PATH = "supabase/migrations/0002_change.sql"
    VALID = [
        code("""
            create table notes (id int);
            alter table notes enable row level security;
            do $$ declare t text; begin foreach t in array array['notes'] loop
            execute format('create policy p on %I for select using (true)', t); end loop; end $$;
        """),
        code("""
            alter table notes enable row level security;
            create policy p on notes using (owner = 1);
        """),
    ]
    INVALID = [
        code("""
            alter table «notes» enable row level security;
        """),
        code("""
            alter table «notes» enable row level security;
            revoke all on notes from anon;
        """),
    ]

    def run(self) -> None:
        for statement, _ in self.script.commands("AT_EnableRowSecurity"):
            relation = statement.node.get("relation", {})
            name = self.script.name_of(relation)
            if not self.script.is_exposed(name):
                continue
            schema = self.script.set_schema
            if self.script.own_schema.is_inaccessible(name) or schema.has_policy_by_loop(name):
                continue  # the file revokes access from all clients, or creates the policies in a loop
            if name in schema.tables and not schema.policies_of(name):
                text = (
                    f"row-level security is enabled on {name} without a policy, "
                    "so clients see no row; add a policy"
                )
                self.report_at(statement, text, relation.get("location"))
