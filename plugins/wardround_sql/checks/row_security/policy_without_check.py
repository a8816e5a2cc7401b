from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
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
            if not self._lacks_check(statement):
                continue
            if is_constant_true(node.get("qual")):
                continue  # SQ002 reports it
            if roles_of(node.get("roles")) == ("service_role",):
                continue
            name = node.get("policy_name")
            if node.get("cmd_name", "all") == "insert":
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

    def _lacks_check(self, statement: Statement) -> bool:
        """Return True if a permissive policy for writing has no WITH CHECK in the end."""
        node, policy = statement.node, self.script.policy(statement)
        if policy is None or policy.check is not statement or policy.using is not statement:
            return False
        writes = node.get("cmd_name", "all") in ("insert", "update", "all")
        return writes and "with_check" not in node and bool(node.get("permissive"))

    def _ignores_owner(self, statement: Statement) -> bool:
        """Return True if rows have an owner, and USING ties them only to a claim that many callers share."""
        table = self.script.name_of(statement.node.get("table", {}))
        keys = self.script.set_schema.foreign_keys.get(table, ())
        condition = statement.node.get("qual")
        comparison = content(condition, "A_Expr")
        if comparison is None or _reads_tables(condition) or not any(key.target == _USERS for key in keys):
            return False
        claims = {text_of(child) or _string(child) for child in walk(condition)}
        if set(_called_functions(condition)) != {"auth.jwt"} or claims & {"sub", "role", "user_role"}:
            return False
        return any(column_name(comparison.get(operand)) for operand in ("lexpr", "rexpr"))


def _reads_tables(condition: object) -> bool:
    return any(True for _ in kinds(condition, "RangeVar"))


def _called_functions(condition: object) -> list[str]:
    return [function_name(call) for call in kinds(condition, "FuncCall")]


def _admits_any_user(condition: object) -> bool:
    """Return True if a condition is true for every signed-in user: it tests for an id, or that role."""
    presence = content(condition, "NullTest")
    if presence is not None:
        return _called_functions(presence) == ["auth.uid"] and not _reads_tables(presence)
    comparison = content(condition, "A_Expr")
    if comparison is None or _reads_tables(condition):
        return False
    return _called_functions(comparison) == ["auth.role"] and any(
        _string(node) in ("authenticated", "anon") for node in walk(comparison)
    )


def _string(node: Node) -> str:
    """Return the text of a literal."""
    return str((content(node, "A_Const") or {}).get("sval", {}).get("sval", ""))


def _checks_caller(condition: object) -> bool:
    """Return True if every branch of a condition depends on the caller."""
    inside = content(condition, "BoolExpr")
    if inside and inside.get("boolop") in ("AND_EXPR", "OR_EXPR"):
        branches = (_checks_caller(branch) for branch in inside.get("args", []))
        return all(branches) if inside["boolop"] == "OR_EXPR" else any(branches)
    if content(condition, "A_Const") is not None:
        return not is_constant_true(condition)
    if _admits_any_user(condition):
        return False
    if not _PLAIN.issuperset(_called_functions(condition)):
        return True
    return any(True for _ in kinds(condition, "SQLValueFunction"))
