"""SQ002: a policy whose condition is always true."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_sql.cases import api_invalid, api_valid
from wardround_sql.check import SqlCheck
from wardround_sql.nodes import Node, is_constant_true, walk
from wardround_sql.schema import roles_of
from wardround_sql.statements import Statement

_TRUSTED = frozenset({"service_role", "postgres", "supabase_admin", "supabase_auth_admin", "dashboard_user"})


class OpenPolicy(SqlCheck):
    """A policy lets everyone write, because its condition is always true.

    ``USING (true)`` or ``WITH CHECK (true)`` on INSERT, UPDATE, DELETE or ALL is the same as no row-level
    security for the roles it names, and without TO it names everybody. Compare the row with the caller, for
    example ``(select auth.uid()) = user_id``, or name the role that is meant. Reading for ``anon`` is only
    noted: it may be what was wanted.
    """

    ID = "SQ002"
    NAME = "policy-always-true"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    WORDS = ("policy",)

    VALID: ClassVar[Sequence[str | Valid]] = [
        api_valid("create policy p on notes for select to authenticated using (true);\n"),
        api_valid("create policy p on notes for insert with check ((select auth.uid()) = user_id);\n"),
        api_valid("create policy p on notes for all to service_role using (true) with check (true);\n"),
        api_valid("create policy p on notes as restrictive for update using (true);\n"),
        api_valid("create policy p on notes for delete using (false);\n"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        api_invalid("create policy p on notes for insert with check (true);\n", 1, 49),
        api_invalid("create policy p on notes for delete to authenticated using (true);\n", 1, 61),
        api_invalid("create policy p on notes\nusing (1 = 1)\nwith check ((select auth.uid()) = owner);\n", 2, 8),
        api_invalid("create policy p on notes for select to anon using (true);\n", 1, 52),
        api_invalid("alter policy p on notes to authenticated with check (true);\n", 1, 54),
    ]

    def run(self) -> None:
        for statement in self.script.of("CreatePolicyStmt", "AlterPolicyStmt"):
            node = statement.node
            is_new = statement.kind == "CreatePolicyStmt"
            command = node.get("cmd_name", "all") if is_new else "write"
            roles = set(roles_of(node.get("roles"))) or ({"public"} if is_new else set())
            if (is_new and not node.get("permissive")) or (roles and roles <= _TRUSTED):
                continue
            if command == "select":
                self._look_at_reading(statement, roles)
                continue
            always = next((node[part] for part in ("with_check", "qual") if is_constant_true(node.get(part))), None)
            if always is not None and (is_new or "with_check" in node):
                who = ", ".join(sorted(roles - _TRUSTED)) or "its roles"
                what = {"all": "read and write", "write": "write"}.get(command, command)
                level = Severity.ERROR if roles & {"public", "anon"} else Severity.WARN
                whom = "everyone (PUBLIC)" if who == "public" else who
                text = f'policy "{node.get("policy_name")}" lets {whom} {what} every row: its condition is always true'
                self.say(statement, text, _place(always), level)

    def _look_at_reading(self, statement: Statement, roles: set[str]) -> None:
        node = statement.node
        if "anon" in roles and is_constant_true(node.get("qual")):
            text = f'policy "{node.get("policy_name")}" shows every row to anon, that is, to anyone'
            self.say(statement, text, _place(node["qual"]), Severity.INFO)


def _place(condition: Node) -> int | None:
    """Where a condition that is always true is written."""
    inside = next(iter(condition.values()))
    return next((one["location"] for one in walk(inside.get("lexpr", inside)) if "location" in one), None)
