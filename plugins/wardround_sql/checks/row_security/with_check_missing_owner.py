from __future__ import annotations

from collections.abc import Iterator

from wardround.findings import Plane
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import (
    column_name,
    content,
    function_name,
    is_constant_true,
    kinds,
    texts,
    walk,
)
from wardround_sql.parsing.statements import Statement
from wardround_sql.queries.selects import conjuncts
from wardround_sql.schema.model import Name, roles_of

_CALLER = frozenset({"auth.uid", "auth.jwt", "auth.email", "current_setting"})


class WithCheckMissingOwner(SqlCheck):
    """WITH CHECK that ignores the column by which USING ties a row to the caller.

    WITH CHECK applies to the new row. Without the owner in it, anyone who may change a row can assign it to
    any other owner or tenant. Repeat the comparison of USING in WITH CHECK.
    """

    ID = "SQ053"
    NAME = "with-check-missing-owner"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "policy-without-check"
    WORDS = ("with check", "with  check", "check\n", "\ncheck")

    CASE_PATH = "supabase/migrations/0002_change.sql"
    VALID = [
        code("""
            create policy p on notes for update using (owner = auth.uid()) with check (is_mine(notes));
        """),
        code("""
            create policy p on notes for update using (is_admin()) with check (length(a) < 9);
        """),
    ]
    INVALID = [
        code("""
            create policy p on notes for update
            using (owner = (select auth.uid()))
            with check («length»(a) < 9);
        """),
        code("""
            create policy p on notes
            using (auth.uid() = owner and open)
            with check («open» = false and a > 1);
        """),
    ]

    def run(self) -> None:
        for statement in self.script.of("CreatePolicyStmt"):
            node = statement.node
            if not self._restricts_writes(statement) or self._is_protected(statement):
                continue
            table = self.script.name_of(node.get("table", {}))
            is_insert = node.get("cmd_name", "all") == "insert"
            owner = self._owner(table) if is_insert else next(_owners(node.get("qual")), "")
            if owner and not _checks_owner(node["with_check"], owner, table.name):
                defect = (
                    f"does not check {owner}, so rows can be inserted for anyone"
                    if is_insert
                    else f"checks {owner} of the old row only, so the row can be assigned to anyone"
                )
                text = f'policy "{node.get("policy_name")}" {defect}; compare it in WITH CHECK'
                self.report_at(statement, text, _first(node["with_check"]))

    def _restricts_writes(self, statement: Statement) -> bool:
        """Return True if the policy's WITH CHECK is effective and not always true, which SQ002 reports."""
        check, policy = statement.node.get("with_check"), self.script.policy(statement)
        if policy is None or check is None or policy.check is not statement or not policy.permissive:
            return False
        writes = statement.node.get("cmd_name", "all") in ("insert", "update", "all")
        return writes and not is_constant_true(check)

    def _is_protected(self, statement: Statement) -> bool:
        """Return True if a trigger, revoked privileges or the policy's role protect the owner."""
        schema, table = self.script.set_schema, self.script.name_of(statement.node.get("table", {}))
        if table in schema.guarded or roles_of(statement.node.get("roles")) == ("service_role",):
            return True
        return all(schema.is_withheld(table, role, "update") for role in ("anon", "authenticated"))

    def _owner(self, table: Name) -> str:
        """Return the column by which every other policy of a table ties its rows to the caller."""
        others = [
            item.using.node.get("qual") for item in self.script.policies_of(table) if item.command != "insert"
        ]
        result = [next(_owners(entry), "") for entry in others if entry is not None]
        return result[0] if result and len(set(result)) == 1 else ""


def _first(check: object) -> int | None:
    """Return the leftmost location of a condition."""
    locations = [node["location"] for node in walk(check) if isinstance(node.get("location"), int)]
    return min((item for item in locations if item > 0), default=next(iter(locations), None))


def _owners(using: object) -> Iterator[str]:
    """Yield the columns that USING equates with a value of the caller."""
    for part in conjuncts(using):
        expression = content(part, "A_Expr") or {}
        if expression.get("kind") != "AEXPR_OP" or texts(expression.get("name")) != ["="]:
            continue
        for operand, other in (("lexpr", "rexpr"), ("rexpr", "lexpr")):
            name = column_name(expression.get(operand))
            if name and _is_callers_value(expression.get(other)):
                yield name[-1]


def _is_callers_value(node: object) -> bool:
    calls = {function_name(call) for call in kinds(node, "FuncCall")}
    return bool(calls & _CALLER) and not any(True for _ in kinds(node, "RangeVar"))


def _checks_owner(check: object, owner: str, table: str) -> bool:
    """Return True if a condition tests the owner, the row, other tables, or calls a deciding function."""
    columns = {column_name({"ColumnRef": reference})[-1] for reference in kinds(check, "ColumnRef")}
    if not columns.isdisjoint((owner, table)):
        return True
    if next(kinds(check, "RangeVar"), None) is not None:
        return True
    functions = {function_name(call) for call in kinds(check, "FuncCall")} - {"auth.role"}
    return any(map(_decides_access, functions))


def _decides_access(function: str) -> bool:
    """Return True if a function returns the caller, or whether it may access a row."""
    if "." in function or function in _CALLER:
        return True
    return function.startswith(("is_", "has_", "can_", "may_"))
