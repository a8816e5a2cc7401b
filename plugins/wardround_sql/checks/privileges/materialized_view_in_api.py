"""SQ015: a materialised view that an API serves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_sql.cases import api_invalid, api_valid, valid
from wardround_sql.check import SqlCheck


class MaterializedViewInApi(SqlCheck):
    """A materialised view stands in a schema that an API serves.

    Row-level security does not exist for materialised views: whoever may read it reads all of it. Keep it
    in a schema of its own, or revoke it from the API's roles.
    """

    ID = "SQ015"
    NAME = "materialized-view-in-api"
    PLANE = Plane.SECURITY
    WORDS = ("materialized",)
    TRIED_ON = (
        "68 migrations of our own, as expected after the rules were mended on them; no place in a "
        "fetched checkout was read"
    )

    VALID: ClassVar[Sequence[str | Valid]] = [
        api_valid("create materialized view m as select 1;\nalter materialized view m set schema private;\n"),
        api_valid("create materialized view private.totals as select sum(x) from notes;\n"),
        valid("create materialized view totals as select sum(x) from notes;\n"),
        api_valid(
            "create materialized view totals as select sum(x) from notes;\nrevoke all on totals "
            "from anon, authenticated;\n"
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        api_invalid("create materialized view totals as select sum(x) from notes;\n", 1, 26),
        api_invalid(
            "create materialized view if not exists public.totals as select 1 as x with no data;\n", 1, 40
        ),
        api_invalid(
            "create materialized view totals as select sum(x) from notes;\nrevoke all on totals from anon;\n",
            1,
            26,
        ),
    ]

    def run(self) -> None:
        for statement in self.script.of("CreateTableAsStmt"):
            if statement.node.get("objtype") != "OBJECT_MATVIEW":
                continue
            relation = statement.node.get("into", {}).get("rel", {})
            name = self.script.name_of(relation)
            whole = self.script.whole
            if self.script.is_exposed(name) and not whole.is_unread(name) and name not in whole.moved:
                text = f"materialised view {name} is served by the API, and no policy can guard it"
                self.say(statement, text, relation.get("location"))
