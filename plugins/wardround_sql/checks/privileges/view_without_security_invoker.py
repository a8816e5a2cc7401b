from __future__ import annotations

from wardround.findings import Plane
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import Node, is_true, kinds, option
from wardround_sql.schema.builder import sets_option


class ViewWithoutSecurityInvoker(SqlCheck):
    """View in an exposed schema without ``security_invoker``.

    The view reads its tables with the privileges of its owner, so row-level security does not apply to its
    readers. Add ``WITH (security_invoker = on)``, or revoke the view from the API's roles.
    """

    ID = "SQ007"
    NAME = "view-without-security-invoker"
    PLANE = Plane.SECURITY
    WORDS = ("view",)

    CASE_PATH = "supabase/migrations/0002_change.sql"
    VALID = [
        code("""
            create view v with (security_invoker = on) as select id from notes;
        """),
        code("""
            create view v as select id from notes;
            alter view v set (security_invoker = true);
        """),
    ]
    INVALID = [
        code("""
            create view «v» as select id from notes;
            revoke all on v from public;
        """),
        code("""
            create view «v» as select id from notes;
            revoke all on v from anon, authenticated;
            grant select on v to authenticated;
        """),
    ]

    def run(self) -> None:
        for statement in self.script.of("ViewStmt"):
            relation = statement.node.get("view", {})
            reads = any(True for _ in kinds(statement.node.get("query"), "RangeVar"))
            message = is_true(option(statement.node.get("options"), "security_invoker"))
            if reads and not message and relation.get("relpersistence") != "t" and self._is_open(relation):
                name = self.script.name_of(relation)
                text = f"view {name} is exposed by the API and bypasses row-level security"
                self.report_at(statement, f"{text}; add security_invoker", relation.get("location"))
        self._check_options()

    def _check_options(self) -> None:
        """Report views whose option is removed."""
        for statement in self.script.of("AlterTableStmt"):
            relation = statement.node.get("relation", {})
            commands = kinds(statement.node.get("cmds", []), "AlterTableCmd")
            used = any(sets_option(command, "security_invoker") is False for command in commands)
            if used and self._is_open(relation):
                name = self.script.name_of(relation)
                text = (
                    f"view {name}, exposed by the API, now bypasses row-level security; keep security_invoker"
                )
                self.report_at(statement, text, relation.get("location"))

    def _is_open(self, relation: Node) -> bool:
        """Return True if clients reach a view that does not run as its caller in the end."""
        schema, name = self.script.set_schema, self.script.name_of(relation)
        moved = name in schema.moved
        safe = name in schema.secured_views or schema.is_unreadable(name)
        return self.script.is_exposed(name) and not safe and not moved
