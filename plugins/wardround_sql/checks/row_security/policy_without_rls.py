from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.schema.model import Name


class PolicyWithoutRls(SqlCheck):
    """Policy on a table whose row-level security is not enabled.

    PostgreSQL stores the policies but ignores them until ``ALTER TABLE ... ENABLE ROW LEVEL SECURITY`` runs,
    so all rows are accessible. Enable it in the same migration.
    """

    ID = "SQ010"
    NAME = "policy-without-rls"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    WORDS = ("policy", "disable")

    VALID = [
        code("""
            create table notes (id int);
            alter table notes enable row level security;
            create policy p on notes;
        """),
        code("""
            create policy p on notes using (owner = 1);
        """),
    ]
    INVALID = [
        code("""
            create table app.notes (id int);
            alter table app.notes enable row level security;
            create policy p on app.notes using (owner = 1);
            alter table «app.notes» disable row level security;
        """),
        code("""
            create table notes (id int);
            create policy p on «notes» using (owner = 1);
        """),
    ]

    def run(self) -> None:
        self._check_disabling()
        reported = set()
        for statement in self.script.of("CreatePolicyStmt"):
            relation = statement.node.get("table", {})
            name = self.script.name_of(relation)
            if name not in reported and self._is_unprotected(name):
                reported.add(name)
                text = f"policy has no effect: row-level security is not enabled on {name}; enable it"
                self.report_at(statement, text, relation.get("location"))

    def _check_disabling(self) -> None:
        schema = self.script.set_schema
        for statement, _ in self.script.commands("AT_DisableRowSecurity"):
            relation = statement.node.get("relation", {})
            name = self.script.name_of(relation)
            table = schema.tables.get(name)
            is_disabled = table is not None and table.rls is False and bool(schema.policies_of(name))
            if is_disabled and not self.script.is_exposed(name):
                text = f"policies of {name} have no effect after this: row-level security is disabled"
                self.report_at(statement, text, relation.get("location"))

    def _is_unprotected(self, name: Name) -> bool:
        """Return True if the set creates the table and never sets its row-level security."""
        table = self.script.set_schema.tables.get(name)
        if table is None or table.created is None or table.rls is not None:
            return False
        return not self.script.set_schema.is_enabled_by_loop(name)
