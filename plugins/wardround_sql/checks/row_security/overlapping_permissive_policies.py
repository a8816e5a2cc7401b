from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import product

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.schema.model import Name, Policy

_COMMANDS = ("select", "insert", "update", "delete")


class OverlappingPermissivePolicies(SqlCheck):
    """Permissive policies of a table that apply to the same role and action.

    PostgreSQL evaluates all of them for every row and admits the row if any passes, which costs time and
    obscures the effective rule. Merge them into one policy with OR, or make one restrictive.
    """

    ID = "SQ011"
    NAME = "overlapping-permissive-policies"
    PLANE = Plane.PERF
    SEVERITY = Severity.INFO
    WORDS = ("policy",)

    CASE_PATH = "supabase/migrations/0002_change.sql"
    VALID = [
        code("""
            create policy a on notes for select using (x);
            create policy b on notes for update using (x);
        """),
        code("""
            create policy a on notes for select to anon using (x);
            create policy b on notes for select to authenticated using (y);
        """),
    ]
    INVALID = [
        code("""
            create policy a on notes using (x);
            «create policy b on notes for select using (y)»;
        """),
        code(
            """
            «create policy b on notes for delete to authenticated using (y)»;
            """,
            others={
                "supabase/migrations/0001_first.sql": """
                create policy a on notes for delete using (x);
                """,
            },
        ),
    ]

    def run(self) -> None:
        schema = self.script.set_schema
        for statement in self.script.of("CreatePolicyStmt"):
            own = schema.policy_created_by(statement)
            if own is None or not own.permissive or not self.script.is_exposed(own.table):
                continue
            first = self._first(own.table)
            position = min((first[key] for key in _shared_keys(own) if key in first), default=None)
            other = own if position is None else schema.policies_of(own.table)[position]
            if other is not own:
                text = (
                    f'permissive policies "{other.name}" and "{own.name}" of {own.table} are both '
                    "evaluated for the same rows; merge them"
                )
                self.report_at(statement, text)

    @cached_property
    def _firsts(self) -> dict[Name, dict[tuple[str, str], int]]:
        return {}

    def _first(self, table: Name) -> dict[tuple[str, str], int]:
        """Return the first permissive policy of a table for each role and action."""
        if table not in self._firsts:
            result = self._firsts[table] = {}
            for number, policy in enumerate(self.script.set_schema.policies_of(table)):
                roles = _roles(policy) if policy.permissive else set()
                for key in product({*roles, _ANY} if roles else (), _commands(policy)):
                    result.setdefault(key, number)
        return self._firsts[table]


_ANY = ""
"""Any role, instead of a role."""


def _roles(policy: Policy) -> set[str]:
    return set(policy.roles) - {"service_role"}


def _commands(policy: Policy) -> tuple[str, ...]:
    return _COMMANDS if policy.command == "all" else (policy.command,)


def _shared_keys(policy: Policy) -> Iterator[tuple[str, str]]:
    """Return the roles and actions that an overlapping policy may share."""
    roles = _roles(policy)
    more = ("public", _ANY) if "public" in roles else ("public",) if roles else ()
    return product({*roles, *more}, _commands(policy))
