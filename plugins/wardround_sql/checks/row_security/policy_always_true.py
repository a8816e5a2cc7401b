from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import Node, is_constant_true, walk
from wardround_sql.parsing.statements import Statement
from wardround_sql.schema.model import roles_of

_TRUSTED = frozenset({"service_role", "postgres", "supabase_admin", "supabase_auth_admin", "dashboard_user"})


class PolicyAlwaysTrue(SqlCheck):
    """Policy for writing whose condition is always true.

    ``USING (true)`` or ``WITH CHECK (true)`` on INSERT, UPDATE, DELETE or ALL disables row-level security for
    its roles, and without TO for everyone. Compare the row with the caller, for example ``(select auth.uid())
    = user_id``, or name the intended role. Policies for SELECT are not reported: they publish public data.
    """

    ID = "SQ002"
    NAME = "policy-always-true"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    WORDS = ("policy",)

    CASE_PATH = "supabase/migrations/0002_change.sql"
    VALID = [
        code("""
            create policy p on notes for select to authenticated using (true);
        """),
        code("""
            create policy p on notes for insert with check ((select auth.uid()) = user_id);
        """),
    ]
    INVALID = [
        code("""
            create policy p on notes for insert with check («true»);
        """),
        code("""
            create policy p on notes for delete to authenticated using («true»);
        """),
    ]

    def run(self) -> None:
        for statement in self.script.of("CreatePolicyStmt", "AlterPolicyStmt"):
            policy, node = self.script.policy(statement), statement.node
            if policy is not None and policy.permissive:
                self._check(statement, policy.command, set(policy.roles))
            elif policy is None and statement.kind == "AlterPolicyStmt":
                command = "write" if "with_check" in node else "select"
                self._check(statement, command, set(roles_of(node.get("roles"))))

    def _check(self, statement: Statement, command: str, roles: set[str]) -> None:
        if command != "select" and not (roles and roles <= _TRUSTED):
            self._check_conditions(statement, command, roles)

    def _check_conditions(self, statement: Statement, command: str, roles: set[str]) -> None:
        always = next(filter(is_constant_true, self.script.conditions(statement)), None)
        if always is None:
            return
        named = ", ".join(sorted(roles - _TRUSTED)) or "its roles"
        grantee = "everyone (PUBLIC)" if named == "public" else named
        action = {"all": "read and write", "write": "write"}.get(command, command)
        is_open = command != "insert" and roles & {"public", "anon"}
        text = (
            f'policy "{statement.node.get("policy_name")}" lets {grantee} {action} every row: its '
            "condition is always true; compare the row with the caller"
        )
        level = Severity.ERROR if is_open else Severity.WARN
        self.report_at(statement, text, _constant_location(always), level)


def _constant_location(condition: Node) -> int | None:
    """Return the location of the part of a condition that is always true."""
    inside = next(iter(condition.values()))
    if inside.get("boolop") == "OR_EXPR":
        return _constant_location(next(item for item in inside["args"] if is_constant_true(item)))
    return next((node["location"] for node in walk(inside.get("lexpr", inside)) if "location" in node), None)
