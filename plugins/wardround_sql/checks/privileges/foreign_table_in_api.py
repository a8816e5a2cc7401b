"""SQ016: a foreign table that an API serves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_sql.cases import api_invalid, api_valid, valid
from wardround_sql.check import SqlCheck


class ForeignTableInApi(SqlCheck):
    """A foreign table stands in a schema that an API serves.

    Row-level security does not exist for foreign tables: whoever may read it reads the other system with the
    rights of the server. Keep it in a schema that is not exposed.
    """

    ID = "SQ016"
    NAME = "foreign-table-in-api"
    PLANE = Plane.SECURITY
    WORDS = ("foreign",)
    TRIED_ON = (
        "68 migrations of our own, as expected after the rules were mended on them; no place in a "
        "fetched checkout was read"
    )

    VALID: ClassVar[Sequence[str | Valid]] = [
        api_valid("create foreign table private.orders (id int) server shop;\n"),
        valid("create foreign table orders (id int) server shop;\n"),
        api_valid("create table orders (id int references other (id));\n"),
        api_valid(
            "create foreign table orders (id int) server shop;\n"
            "revoke all on orders from anon, authenticated;\n"
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        api_invalid("create foreign table orders (id int) server shop;\n", 1, 22),
        api_invalid(
            "select 1;\ncreate foreign table if not exists public.orders (id int) server shop;\n", 2, 36
        ),
        api_invalid("create foreign table orders (id int)\nserver shop options (object 'orders');\n", 1, 22),
    ]

    def run(self) -> None:
        for statement in self.script.of("CreateForeignTableStmt"):
            relation = statement.node.get("base", {}).get("relation", {})
            name = self.script.name_of(relation)
            whole = self.script.whole
            if self.script.is_exposed(name) and not whole.is_unread(name) and name not in whole.moved:
                text = f"foreign table {name} is served by the API, and no policy can guard it"
                self.say(statement, text, relation.get("location"))
