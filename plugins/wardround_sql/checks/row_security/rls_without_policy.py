"""SQ009: row-level security without a policy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_sql.cases import EARLIER, api_invalid, api_valid, valid
from wardround_sql.check import SqlCheck


class RlsWithoutPolicy(SqlCheck):
    """Row-level security is enabled and no policy lets anybody in.

    Only the owner and roles that bypass row-level security see rows. That may be meant for tables the server
    alone uses; if clients are to read the table, the policy is missing.
    """

    ID = "SQ009"
    NAME = "rls-without-policy"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    WORDS = ("row level security",)
    TRIED_ON = "a fetched Supabase checkout: 2 read, both on purpose: a note"

    VALID: ClassVar[Sequence[str | Valid]] = [
        api_valid(
            "create table notes (id int);\nalter table notes enable row level security;\n"
            "do $$ declare t text; begin foreach t in array array['notes'] loop\n"
            "execute format('create policy p on %I for select using (true)', t); end loop; end $$;\n"
        ),
        api_valid(
            "alter table notes enable row level security;\ncreate policy p on notes using (owner = 1);\n"
        ),
        api_valid(
            "alter table notes enable row level security;\n",
            {"supabase/migrations/0009_p.sql": "create policy p on public.notes using (owner = 1);\n"},
        ),
        valid("alter table notes enable row level security;\n"),
        api_valid(
            "alter table notes enable row level security;\nrevoke all on notes from anon, authenticated;\n"
        ),
        api_valid(
            "alter table notes enable row level security;\n"
            "revoke select, insert, update, delete on notes from anon, authenticated;\n"
        ),
        api_valid("alter table private.notes enable row level security;\n"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        api_invalid("alter table notes enable row level security;\n", 1, 13),
        api_invalid("alter table notes enable row level security;\nrevoke all on notes from anon;\n", 1, 13),
        api_invalid(
            "alter table notes enable row level security;\nrevoke all on notes from anon, authenticated;\n"
            "grant select (id) on notes to anon;\n",
            1,
            13,
        ),
        api_invalid(
            "alter table notes enable row level security;\ndrop policy p on notes;\n",
            1,
            13,
            {EARLIER: "create policy p on notes using (owner = 1);\n"},
        ),
        api_invalid(
            "create table notes (id int);\nalter table public.notes enable row level security;\n"
            "create policy p on other using (owner = 1);\n",
            2,
            13,
        ),
    ]

    def run(self) -> None:
        for statement, _ in self.script.commands("AT_EnableRowSecurity"):
            relation = statement.node.get("relation", {})
            name = self.script.name_of(relation)
            if not self.script.is_exposed(name):
                continue
            whole = self.script.whole
            if self.script.own.is_barred(name) or whole.has_policy_by_loop(name):
                continue  # the same file says that no client is meant, or a loop makes the policies
            if name in whole.tables and not whole.policies_of(name):
                text = f"row-level security is on for {name} and no policy lets anyone in"
                self.say(statement, text, relation.get("location"))
