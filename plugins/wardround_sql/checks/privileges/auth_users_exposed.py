"""SQ012: a view that shows the table of users to the API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_sql.cases import api_invalid, api_valid, valid
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import kinds


class AuthUsersExposed(SqlCheck):
    """A view in a schema that an API serves reads auth.users.

    The table holds e-mail addresses, phone numbers and tokens of all users. A view shows what it selects to
    whoever may read the view, whatever guards the table. Copy what is to be public into a table of its own.
    """

    ID = "SQ012"
    NAME = "auth-users-exposed"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    WORDS = ("view",)
    TRIED_ON = (
        "68 migrations of our own, as expected after the rules were mended on them; no place in a "
        "fetched checkout was read"
    )

    VALID: ClassVar[Sequence[str | Valid]] = [
        api_valid("create view private.people as select email from auth.users;\n"),
        api_valid("create view people as select name from profiles;\n"),
        api_valid(
            "create view people as select email from auth.users;\nrevoke all on people from "
            "anon, authenticated;\n"
        ),
        valid("create view people as select email from users;\n"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        api_invalid("create view people as select email from auth.users;\n", 1, 41),
        api_invalid(
            "create view people with (security_invoker = on) as\nselect p.name, u.email\nfrom "
            "profiles p join auth.users u on u.id = p.id;\n",
            3,
            22,
        ),
        api_invalid("create materialized view people as select email from auth.users;\n", 1, 54),
    ]

    def run(self) -> None:
        for statement in self.script.of("ViewStmt", "CreateTableAsStmt"):
            if statement.node.get("objtype", "OBJECT_MATVIEW") != "OBJECT_MATVIEW":
                continue
            relation = statement.node.get("view") or statement.node.get("into", {}).get("rel", {})
            name = self.script.name_of(relation)
            if not self.script.is_exposed(name) or self.script.whole.is_unread(name):
                continue
            for table in kinds(statement.node.get("query"), "RangeVar"):
                if (table.get("schemaname"), table.get("relname")) == ("auth", "users"):
                    self.say(
                        statement, f"{name} shows auth.users to whoever can read it", table.get("location")
                    )
                    break
