"""SQ003: write policy without WITH CHECK."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import (
    Node,
    column_name,
    content,
    function_name,
    is_constant_true,
    kinds,
    text_of,
    walk,
)
from wardround_sql.parsing.statements import Statement
from wardround_sql.schema.model import Name, roles_of

_USERS = Name("auth", "users")
_PLAIN = frozenset(
    {
        "age",
        "array_length",
        "cardinality",
        "char_length",
        "clock_timestamp",
        "count",
        "date_part",
        "date_trunc",
        "extract",
        "length",
        "lower",
        "max",
        "min",
        "now",
        "statement_timestamp",
        "upper",
    }
)
"""Functions that do not depend on the caller; any other may."""


class PolicyWithoutCheck(SqlCheck):
    """Policy for writing without WITH CHECK whose USING does not tie the row to the caller.

    An INSERT policy without WITH CHECK admits no row. For UPDATE and ALL, PostgreSQL applies USING to the new
    row too, which suffices if USING checks the caller, as in ``(select auth.uid()) = user_id``; such policies
    are not reported. If one branch does not, as in ``status = 'draft'``, the row may be assigned to anyone:
    restrict the new row in WITH CHECK.
    """

    ID = "SQ003"
    NAME = "policy-without-check"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.WARN
    WORDS = ("policy",)

    CASE_PATH = "supabase/migrations/0002_change.sql"
    VALID = [
        code("""
            create policy p on notes using ((select auth.uid()) is not null and owner = me());
        """),
        code("""
            create policy p on notes for insert with check ((select auth.uid()) = user_id);
        """),
    ]
    INVALID = [
        code("""
            «create policy p on notes for update using ((select auth.uid()) is not null)»;
        """),
        code("""
            «create policy p on notes using ((select auth.role()) = 'authenticated')»;
        """),
    ]

    def run(self) -> None:
        for statement in self.script.of("CreatePolicyStmt"):
            node = statement.node
            command = node.get("cmd_name", "all")
            policy = self.script.policy(statement)
            if (
                policy is None
                or policy.check is not statement
                or policy.using is not statement
                or "with_check" in node
                or command not in ("insert", "update", "all")
                or not node.get("permissive")
            ):
                continue
            if is_constant_true(node.get("qual")):
                continue  # SQ002 reports it
            if roles_of(node.get("roles")) == ("service_role",):
                continue
            name = node.get("policy_name")
            if command == "insert":
                self.report_at(
                    statement,
                    f'INSERT policy "{name}" has no WITH CHECK, so it admits no row; add WITH CHECK',
                )
            elif not _checks_caller(node.get("qual")) or self._ignores_owner(statement):
                text = (
                    f'policy "{name}" has no WITH CHECK, '
                    "and USING does not tie the new row to its writer; add WITH CHECK"
                )
                self.report_at(statement, text, severity=Severity.INFO)

    def _ignores_owner(self, statement: Statement) -> bool:
        """Return True if rows have an owner, and USING ties them only to a claim that many callers share."""
        table = self.script.name_of(statement.node.get("table", {}))
        keys = self.script.set_schema.foreign_keys.get(table, ())
        owned = any(key.target == _USERS for key in keys)
        condition = statement.node.get("qual")
        comparison = content(condition, "A_Expr")
        if not owned or comparison is None or any(True for _ in kinds(condition, "RangeVar")):
            return False
        calls = {function_name(call) for call in kinds(condition, "FuncCall")}
        fields = [column_name(comparison.get(side)) for side in ("lexpr", "rexpr")]
        claims = {text_of(child) or _string(child) for child in walk(condition)}
        return calls == {"auth.jwt"} and any(fields) and not claims & {"sub", "role", "user_role"}


def _admits_any_user(condition: object) -> bool:
    """Return True if a condition is true for every signed-in user: it tests for an id, or that role."""
    presence = content(condition, "NullTest")
    if presence is not None:
        calls = [function_name(call) for call in kinds(presence, "FuncCall")]
        return calls == ["auth.uid"] and not any(True for _ in kinds(presence, "RangeVar"))
    comparison = content(condition, "A_Expr")
    if comparison is None or any(True for _ in kinds(condition, "RangeVar")):
        return False
    calls = [function_name(call) for call in kinds(comparison, "FuncCall")]
    return calls == ["auth.role"] and any(
        _string(node) in ("authenticated", "anon") for node in walk(comparison)
    )


def _string(node: Node) -> str:
    """Return the text of a literal."""
    return str((content(node, "A_Const") or {}).get("sval", {}).get("sval", ""))


def _checks_caller(condition: object) -> bool:
    """Return True if every branch of a condition depends on the caller."""
    inside = content(condition, "BoolExpr")
    if inside and inside.get("boolop") in ("AND_EXPR", "OR_EXPR"):
        requested = (_checks_caller(arg) for arg in inside.get("args", []))
        return all(requested) if inside["boolop"] == "OR_EXPR" else any(requested)
    constant = content(condition, "A_Const")
    if constant is not None:
        return not is_constant_true(condition)
    if _admits_any_user(condition):
        return False
    calls = (function_name(call) for call in kinds(condition, "FuncCall"))
    return any(name not in _PLAIN for name in calls) or any(
        True for _ in kinds(condition, "SQLValueFunction")
    )
