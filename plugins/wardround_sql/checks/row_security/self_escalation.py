from __future__ import annotations

from collections.abc import Iterator

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import column_name, content, function_name, kinds, texts, walk
from wardround_sql.parsing.statements import Statement
from wardround_sql.schema.model import Table, roles_of

_SURE = frozenset({"is_admin", "is_superadmin", "is_super_admin", "is_superuser", "is_staff"})
_ROLES = frozenset({"role", "user_role"})
_PEOPLE = ("user", "member", "profile", "account")


class SelfEscalation(SqlCheck):
    """Policy that lets users update their own row, which holds their privileges.

    A policy restricts rows, not columns, so the owner of a row can also set ``is_admin`` or ``role``. Revoke
    UPDATE on the table and grant it for the permitted columns, or store privileges in a table that only the
    server writes. A trigger that fires before the write counts as protection.
    """

    ID = "SQ019"
    NAME = "self-escalation"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    WORDS = ("policy",)

    CASE_PATH = "supabase/migrations/0002_change.sql"
    VALID = [
        code("""
            create policy p on people for update using (id = auth.uid());
        """),
        code("""
            create table people (id uuid primary key, name text);
            create policy p on people for update using (id = auth.uid());
        """),
    ]
    INVALID = [
        code("""
            create table people (id uuid primary key, is_admin bool);
            «create policy p on people for update to authenticated»
              using (id = (select auth.uid()));
        """),
        code(
            """
            «create policy p on people using (active and auth.uid() = id) with check (id = auth.uid())»;
            """,
            others={
                "supabase/migrations/0001_first.sql": """
                create table people (id uuid primary key, role text);
                create trigger t before update on people for each row execute function set_updated_at();
                """,
            },
        ),
    ]

    def run(self) -> None:
        for statement in self.script.of("CreatePolicyStmt"):
            node = statement.node
            name = self.script.name_of(node.get("table", {}))
            table = self.script.set_schema.tables.get(name)
            writes = node.get("permissive") and node.get("cmd_name", "all") in ("update", "all")
            by_users = set(roles_of(node.get("roles"))) & {"public", "anon", "authenticated"}
            if self.script.policy(statement) is None:
                continue
            if not (writes and by_users and table and self.script.is_exposed(name)) or self._is_protected(
                table
            ):
                continue
            for column in self._privilege_columns(table, statement):
                text = (
                    f'policy "{node.get("policy_name")}" lets users set {column} in their own row of '
                    f"{name}; revoke it"
                )
                self.report_at(statement, text)
                break

    def _is_protected(self, table: Table) -> bool:
        """Return True if something other than the policy may restrict the writable columns."""
        schema, name = self.script.set_schema, table.name
        strict = any(not item.permissive for item in schema.policies_of(name))
        return strict or name in schema.guarded or schema.is_withheld(name, "authenticated", "update")

    def _privilege_columns(self, table: Table, statement: Statement) -> Iterator[str]:
        """Return the columns with privileges of the row's owner that the policy does not mention."""
        conditions = [statement.node.get("qual"), statement.node.get("with_check")]
        own = set(_caller_columns(conditions[0]))
        mentioned = {part for node in walk(conditions) for part in column_name(node)}
        candidates = _SURE | (_ROLES if _has_one_row_per_user(table, own) else frozenset())
        return (column for column in table.columns if own and column in candidates - mentioned)


def _has_one_row_per_user(table: Table, own: set[str]) -> bool:
    """Return True if a table has one row per user, by a key or its name."""
    unique = any(len(key) == 1 and key[0] in own for key in table.keys)
    return unique or any(word in table.name.name for word in _PEOPLE)


def _caller_columns(condition: object) -> Iterator[str]:
    """Yield the columns that must equal the id of the caller."""
    inside = content(condition, "BoolExpr")
    if inside and inside.get("boolop") == "AND_EXPR":
        for part in inside.get("args", []):
            yield from _caller_columns(part)
    comparison = content(condition, "A_Expr")
    if comparison and texts(comparison.get("name")) == ["="]:
        left, right = comparison.get("lexpr"), comparison.get("rexpr")
        for column, other in ((left, right), (right, left)):
            parts = column_name(column)
            if parts and _is_caller(other):
                yield parts[-1]


def _is_caller(node: object) -> bool:
    """Return True if an expression is the id of the caller, not a lookup by it."""
    calls = [function_name(call) for call in kinds(node, "FuncCall")]
    return calls == ["auth.uid"] and not any(True for _ in kinds(node, "RangeVar"))
