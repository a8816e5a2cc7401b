"""SQ007: a view that shows its owner's rows to everyone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane
from wardround_sql.cases import api_invalid, api_valid, valid
from wardround_sql.check import SqlCheck
from wardround_sql.nodes import kinds


class ViewSecurity(SqlCheck):
    """A view that an API serves does not run as its caller.

    A view reads its tables with the rights of its owner, so row-level security does not count for whoever
    selects from it. Add ``WITH (security_invoker = on)``, or revoke the view from the API's roles.
    """

    ID = "SQ007"
    NAME = "view-without-security-invoker"
    PLANE = Plane.SECURITY
    WORDS = ("view",)
    TRIED_ON = "a fetched Supabase checkout: 3 read, all right"

    VALID: ClassVar[Sequence[str | Valid]] = [
        api_valid("create view v with (security_invoker = on) as select id from notes;\n"),
        api_valid("create view v as select id from notes;\nalter view v set (security_invoker = true);\n"),
        api_valid("create view v as select id from notes;\nrevoke all on v from anon, authenticated;\n"),
        api_valid("create view private.v as select id from notes;\n"),
        valid("create view v as select id from notes;\n"),
        api_valid("create view v as select 1 as one;\n"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        api_invalid("create view v as select id from notes;\n", 1, 13),
        api_invalid(
            "create or replace view public.v\nwith (security_invoker = off) as select id from notes;\n", 1, 24
        ),
        api_invalid(
            "create view v with (security_barrier) as select id from notes;\nrevoke all on v from anon;\n",
            1,
            13,
        ),
    ]

    def run(self) -> None:
        for statement in self.script.of("ViewStmt"):
            relation = statement.node.get("view", {})
            name = self.script.name_of(relation)
            reads = any(True for _ in kinds(statement.node.get("query"), "RangeVar"))
            if not reads or not self.script.is_exposed(name) or relation.get("relpersistence") == "t":
                continue
            whole = self.script.whole
            revoked = {role for (what, role) in whole.revoked if what == name}
            if name in whole.secured_views or "public" in revoked or {"anon", "authenticated"} <= revoked:
                continue
            text = f"view {name} is served by the API and reads past row-level security; add security_invoker"
            self.say(statement, text, relation.get("location"))
