from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from wardround.findings import Severity
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import Node, function_name, kinds
from wardround_sql.parsing.statements import Statement
from wardround_sql.schema.model import Name, Policy

_READS = ("select", "all")


class RecursivePolicy(SqlCheck):
    """Policy for reading a table that reads the same table, which makes every query fail.

    PostgreSQL reads the table to evaluate the policy, which applies the policy again: "infinite recursion
    detected in policy". The same happens if the policies of two tables read each other. Move the lookup to a
    SECURITY DEFINER function, which bypasses policies.
    """

    ID = "SQ063"
    NAME = "recursive-policy"
    DEFECT_CLASS = "policy-reads-its-own-table"
    SEVERITY = Severity.ERROR
    WORDS = ("policy",)

    VALID = [
        code("""
            create policy p on a for select using (b in (select b from c where u = auth.uid()));
        """),
        code("""
            create policy p on a for insert with check (b in (select b from a where u = auth.uid()));
        """),
    ]
    INVALID = [
        code("""
            create policy p on a for select
              using (b in (select x.b from «a» x where x.u = auth.uid()));
        """),
        code("""
            create policy p on public.a using (exists (select 1 from «a» where u = 1));
        """),
    ]

    def run(self) -> None:
        for statement in self.script.of("CreatePolicyStmt", "AlterPolicyStmt"):
            name = self.script.name_of(statement.node.get("table", {}))
            policy = self.script.policy(statement)
            table = self.script.set_schema.tables.get(name)
            if policy is None or not policy.permissive or policy.command not in _READS:
                continue
            if policy.using is not statement or (table is not None and table.rls is False):
                continue
            circle = next(self._cycles(name, policy, statement), None)
            if circle is not None:
                location, through = circle
                self.report_at(
                    statement,
                    f"reading {name} evaluates this policy, which reads {through}; "
                    "use a SECURITY DEFINER function",
                    location,
                )

    def _cycles(self, table: Name, policy: Policy, statement: Statement) -> Iterator[tuple[int | None, str]]:
        """Yield the locations where a policy reads its own table, and the path."""
        condition = statement.node.get("qual", {})
        for other, location_items in self._read(condition):
            if other == table:
                yield location_items, f"{table} again"
            elif any(self._reads_table(item, policy) for item in self._policies(other)):
                yield location_items, f"{other}, whose policy reads {table}"
        for call in kinds(condition, "FuncCall"):
            if any(entry == table for entry in self._read_by(function_name(call))):
                yield call.get("location"), f"{table} again through {function_name(call)}()"

    def _reads_table(self, other: Policy, policy: Policy) -> bool:
        if other.command not in _READS or not _overlap(other.roles, policy.roles):
            return False
        return any(name == policy.table for name, _place in self._read(other.using.node.get("qual", {})))

    def _policies(self, table: Name) -> list[Policy]:
        """Return the policies of another table, in this file or another of the set."""
        return [item for item in self.script.policies_of(table) if item.permissive]

    def _read(self, node: Node) -> Iterator[tuple[Name, int | None]]:
        """Yield the tables that a condition reads."""
        named = {cte.get("ctename") for cte in kinds(node, "CommonTableExpr")}
        for relation in kinds(node, "RangeVar"):
            if "schemaname" in relation or relation.get("relname") not in named:
                yield self.script.name_of(relation), relation.get("location")

    def _read_by(self, function: str) -> Iterator[Name]:
        """Yield the tables that a function of this file reads with its caller's privileges."""
        for inner in self._bodies.get(function, ()):
            yield from (name for name, _place in self._read(inner.node))

    @cached_property
    def _bodies(self) -> dict[str, list[Statement]]:
        """Statements of functions with their caller's privileges, by names with and without schema."""
        result: dict[str, list[Statement]] = {}
        for inner in self.script.all_statements:
            created = (
                self.script.set_schema.routines.made_by(inner.outer) if inner.outer is not None else None
            )
            if created is not None and not created.definer:
                for name in (created.name, f"{created.schema}.{created.name}"):
                    result.setdefault(name, []).append(inner)
        return result


def _overlap(roles: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Return True if policies for two sets of roles can apply to one query."""
    every = {"public"}
    return not roles or not others or bool(every & {*roles, *others}) or bool(set(roles) & set(others))
