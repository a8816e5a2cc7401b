"""SQ008: rights given to everyone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_sql.cases import EARLIER, api_invalid, api_valid, invalid, valid
from wardround_sql.check import SqlCheck
from wardround_sql.nodes import Node, kinds
from wardround_sql.schema import roles_of
from wardround_sql.statements import Statement

_TABLES = ("OBJECT_TABLE", "OBJECT_SCHEMA", "OBJECT_DATABASE")


class GrantToEveryone(SqlCheck):
    """A right is granted to PUBLIC or to anon, that is, to everyone who can connect.

    PUBLIC covers every role there is and will be; anon is whoever has the address of the API. Grant it to the
    role that needs it. Where row-level security guards the table, a grant to anon is only the door to it, and
    nothing is said.
    """

    ID = "SQ008"
    NAME = "grant-to-everyone"
    PLANE = Plane.SECURITY
    WORDS = ("grant",)
    TRIED_ON = (
        "68 migrations of our own, as expected after the rules were mended on them; no place in a "
        "fetched checkout was read"
    )

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("grant select on notes to app_reader;\n"),
        valid("grant usage on schema public to public;\n"),
        valid("revoke all on notes from public;\n"),
        api_valid("grant select on notes to anon;\nalter table notes enable row level security;\n"),
        api_valid(
            "grant all on notes to anon;\n", {EARLIER: "alter table notes enable row level security;\n"}
        ),
        api_valid("grant usage on schema public to anon, authenticated;\n"),
        valid("grant execute on function f() to public;\n"),
        api_valid("grant select on all tables in schema public to anon;\n"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid("grant select on notes to public;\n", 1, 26),
        invalid("grant all on all tables in schema app to app, public;\n", 1, 47),
        api_invalid("grant select, insert on notes to anon;\n", 1, 34),
        api_invalid("grant all on all tables in schema public to anon;\n", 1, 45),
        invalid("grant create on schema public to public;\n", 1, 34),
    ]

    def run(self) -> None:
        for statement in self.script.of("GrantStmt"):
            node = statement.node
            if not node.get("is_grant") or node.get("objtype") not in _TABLES:
                continue
            if node.get("targtype") == "ACL_TARGET_DEFAULTS":
                continue
            for role in kinds(node.get("grantees", []), "RoleSpec"):
                (name,) = roles_of([{"RoleSpec": role}])
                if name in ("public", "anon"):
                    self._look_at(statement, name, role)

    def _look_at(self, statement: Statement, who: str, role: Node) -> None:
        node = statement.node
        rights = sorted(
            p.get("priv_name", "").upper() for p in kinds(node.get("privileges", []), "AccessPriv")
        ) or ["ALL"]
        if node.get("objtype") != "OBJECT_TABLE" and set(rights) <= {"USAGE", "CONNECT", "TEMPORARY", "TEMP"}:
            return
        if who == "anon" and not self._is_open(node):
            return
        told = "everyone (PUBLIC)" if who == "public" else "anon, that is, anyone"
        level = Severity.INFO if who == "anon" and rights == ["SELECT"] else None
        self.say(statement, f"{', '.join(rights)} is granted to {told}", role.get("location"), level)

    def _is_open(self, node: Node) -> bool:
        """Whether one of the tables has no row-level security, as far as can be seen."""
        whole = self.script.whole
        tables = [self.script.name_of(one) for one in kinds(node.get("objects", []), "RangeVar")]
        views = [t for t in tables if t in whole.secured_views]
        guarded = [t for t in tables if (t in whole.tables and whole.tables[t].rls) or whole.enables_all]
        if node.get("targtype") == "ACL_TARGET_ALL_IN_SCHEMA":
            rights = {p.get("priv_name", "") for p in kinds(node.get("privileges", []), "AccessPriv")}
            return rights != {"select"}
        return len(guarded) + len(views) < len(tables)
