"""SQ010: a policy on a table whose row-level security is off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_sql.cases import EARLIER, api_invalid, api_valid, invalid, valid
from wardround_sql.check import SqlCheck


class PolicyWithoutRls(SqlCheck):
    """A table has a policy, and row-level security is not enabled on it.

    Until ``ALTER TABLE ... ENABLE ROW LEVEL SECURITY`` runs, Postgres stores policies and does not look at
    them: the table is as open as without.
    """

    ID = "SQ010"
    NAME = "policy-without-rls"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    WORDS = ("policy", "disable")
    TRIED_ON = (
        "68 migrations of our own, as expected after the rules were mended on them; no place in a "
        "fetched checkout was read"
    )

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid(
            "create table notes (id int);\nalter table notes enable row level security;\ncreate "
            "policy p on notes;\n"
        ),
        valid("create policy p on notes using (owner = 1);\n"),
        api_valid(
            "create policy p on notes using (owner = 1);\n",
            {EARLIER: "create table notes (id int);\nalter table notes enable row level security;\n"},
        ),
        api_valid("create policy p on storage.objects using (bucket_id = 'a');\n"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid(
            "create table app.notes (id int);\nalter table app.notes enable row level security;\n"
            "create policy p on app.notes using (owner = 1);\n"
            "alter table app.notes disable row level security;\n",
            4,
            13,
        ),
        invalid("create table notes (id int);\ncreate policy p on notes using (owner = 1);\n", 2, 20),
        api_invalid(
            "create policy p on notes using (owner = 1);\n",
            1,
            20,
            {EARLIER: "create table notes (id int);\n"},
        ),
        invalid(
            "create table app.notes (id int);\nalter table notes enable row level security;\n"
            'create policy "ü" on app.notes using (owner = 1);\n',
            3,
            22,
        ),
    ]

    def run(self) -> None:
        told = set()
        for statement, _ in self.script.commands("AT_DisableRowSecurity"):
            relation = statement.node.get("relation", {})
            name = self.script.name_of(relation)
            table = self.script.whole.tables.get(name)
            guarded = bool(self.script.whole.policies_of(name))
            if table is not None and table.rls is False and guarded and not self.script.is_exposed(name):
                text = f"the policies of {name} do nothing from here on: its row-level security is off"
                self.say(statement, text, relation.get("location"))
        for statement in self.script.of("CreatePolicyStmt"):
            relation = statement.node.get("table", {})
            name = self.script.name_of(relation)
            table = self.script.whole.tables.get(name)
            if (
                name in told
                or table is None
                or table.created is None
                or table.rls is not None
                or self.script.whole.is_enabled_by_loop(name)
            ):
                continue
            told.add(name)
            text = f"this policy does nothing: row-level security is not enabled on {name}"
            self.say(statement, text, relation.get("location"))
