"""SQ011: several permissive policies for the same thing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_sql.cases import EARLIER, api_invalid, api_valid
from wardround_sql.check import SqlCheck
from wardround_sql.schema import Policy

_COMMANDS = frozenset({"select", "insert", "update", "delete"})


class OverlappingPolicies(SqlCheck):
    """Two permissive policies of a table answer for the same role and the same action.

    Postgres evaluates both for every row and lets the row through if either does, which costs time and
    makes it hard to see what is allowed. Make one policy of them, joined by OR, or make one restrictive.
    """

    ID = "SQ011"
    NAME = "overlapping-permissive-policies"
    PLANE = Plane.PERF
    SEVERITY = Severity.INFO
    WORDS = ("policy",)
    TRIED_ON = (
        "a fetched Supabase checkout: 2 read, 1 of them on a table of Supabase's own, since left out: a note"
    )

    VALID: ClassVar[Sequence[str | Valid]] = [
        api_valid(
            "create policy a on notes for select using (x);\ncreate policy b on notes for update using (x);\n"
        ),
        api_valid(
            "create policy a on notes for select to anon using (x);\n"
            "create policy b on notes for select to authenticated using (y);\n"
        ),
        api_valid(
            "create policy a on notes using (x);\ncreate policy b on notes as restrictive using (y);\n"
        ),
        api_valid(
            "create policy a on notes using (x);\ncreate policy b on notes to service_role using (true);\n"
        ),
        api_valid(
            "create policy a on notes using (x);\ndrop policy a on notes;\ncreate policy b on "
            "notes using (y);\n"
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        api_invalid(
            "create policy a on notes using (x);\ncreate policy b on notes for select using (y);\n", 2, 1
        ),
        api_invalid(
            "create policy b on notes for delete to authenticated using (y);\n",
            1,
            1,
            {EARLIER: "create policy a on notes for delete using (x);\n"},
        ),
        api_invalid(
            "create policy a on notes for insert with check (x);\ncreate policy b on notes for "
            "insert with check (y);\n",
            2,
            1,
        ),
    ]

    def run(self) -> None:
        policies = [policy for policy in self.script.whole.policies.values() if policy.permissive]
        order = {id(policy): number for number, policy in enumerate(policies)}
        for statement in self.script.of("CreatePolicyStmt"):
            mine = next((policy for policy in policies if policy.statement is statement), None)
            if mine is None or not self.script.is_exposed(mine.table):
                continue
            other = next((p for p in policies if order[id(p)] < order[id(mine)] and _overlap(p, mine)), None)
            if other is not None:
                text = (
                    f'policies "{other.name}" and "{mine.name}" of {mine.table} are both '
                    "evaluated for the same rows"
                )
                self.say(statement, text)


def _overlap(one: Policy, other: Policy) -> bool:
    roles = [set(policy.roles) - {"service_role"} for policy in (one, other)]
    commands = [_COMMANDS if policy.command == "all" else {policy.command} for policy in (one, other)]
    shared = roles[0] & roles[1] or ("public" in roles[0] and roles[1]) or ("public" in roles[1] and roles[0])
    return one.table == other.table and bool(shared) and bool(commands[0] & commands[1])
