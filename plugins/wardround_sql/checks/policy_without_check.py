"""SQ003: a policy for writing that does not say what may be written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_sql.cases import api_invalid, api_valid
from wardround_sql.check import SqlCheck
from wardround_sql.nodes import is_constant_true
from wardround_sql.schema import roles_of


class PolicyWithoutCheck(SqlCheck):
    """A policy for writing has no WITH CHECK.

    An INSERT policy without it lets no row in at all. For UPDATE and ALL, Postgres falls back to USING,
    which was written for the old row: say what the new row must look like too, so that the next change of
    USING does not change what may be written.
    """

    ID = "SQ003"
    NAME = "policy-without-check"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.WARN
    WORDS = ("policy",)
    TRIED_ON = (
        "68 migrations of our own, as expected after the rules were mended on them; no place in a "
        "fetched checkout was read"
    )

    VALID: ClassVar[Sequence[str | Valid]] = [
        api_valid("create policy p on notes for insert with check ((select auth.uid()) = user_id);\n"),
        api_valid("create policy p on notes for update using (owner = 1) with check (owner = 1);\n"),
        api_valid("create policy p on notes for select using (owner = 1);\n"),
        api_valid("create policy p on notes for delete using (owner = 1);\n"),
        api_valid("create policy p on notes for all to service_role using (true);\n"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        api_invalid("create policy p on notes for insert to authenticated;\n", 1, 1),
        api_invalid("create policy p on notes for update using ((select auth.uid()) = user_id);\n", 1, 1),
        api_invalid("select 1;\ncreate policy p on notes using ((select auth.uid()) = user_id);\n", 2, 1),
    ]

    def run(self) -> None:
        for statement in self.script.of("CreatePolicyStmt"):
            node = statement.node
            command = node.get("cmd_name", "all")
            if (
                "with_check" in node
                or command not in ("insert", "update", "all")
                or not node.get("permissive")
            ):
                continue
            if is_constant_true(node.get("qual")):
                continue  # SQ002 says what is wrong there
            if roles_of(node.get("roles")) == ("service_role",):
                continue
            name = node.get("policy_name")
            if command == "insert":
                self.say(
                    statement, f'policy "{name}" is for INSERT and has no WITH CHECK, so it lets no row in'
                )
            else:
                text = f'policy "{name}" has no WITH CHECK: what may be written follows from USING alone'
                self.say(statement, text, severity=Severity.INFO)
