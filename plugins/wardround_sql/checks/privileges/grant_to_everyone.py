from __future__ import annotations

from functools import cached_property

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import Node, items, kinds, option, texts
from wardround_sql.parsing.statements import Statement
from wardround_sql.queries.fact_types import PublicGrant
from wardround_sql.queries.facts import foreign_facts
from wardround_sql.schema.model import Name, name_of_parts, roles_of

_DEFAULTS = "ACL_TARGET_DEFAULTS"
_PLATFORM = {"postgres", "supabase_admin"}
_ROUTINES = ("OBJECT_FUNCTION", "OBJECT_PROCEDURE", "OBJECT_ROUTINE")
_TABLES = ("OBJECT_TABLE", "OBJECT_SCHEMA", "OBJECT_DATABASE")


class GrantToEveryone(SqlCheck):
    """Privilege granted to PUBLIC or ``anon``, that is, to everyone who can connect.

    PUBLIC includes all present and future roles; ``anon`` is every unauthenticated client of the API. Grant
    the privilege to the role that needs it. Default privileges also apply to every table created later. A
    grant to ``anon`` on a table with row-level security is not reported, since policies restrict the rows,
    nor is SELECT on some columns of a table whose privileges were revoked before.
    """

    ID = "SQ008"
    NAME = "grant-to-everyone"
    PLANE = Plane.SECURITY
    WORDS = ("grant",)

    VALID = [
        code("""
            grant select on notes to public;
            revoke all on notes from public;
        """),
        code("""
            grant select on notes to app_reader;
        """),
    ]
    INVALID = [
        code("""
            grant select on notes to «public»;
        """),
        code("""
            create function app.f() returns int language sql security definer as 'select 1';
            grant execute on function app.f() to «public»;
        """),
    ]

    def run(self) -> None:
        for fact in foreign_facts(self.script, PublicGrant):
            text = (
                f"{fact.rights} is granted to everyone ({fact.who}); "
                f"grant it to the role that needs it{fact.note}"
            )
            self.report(fact.span, text, severity=Severity.INFO if fact.rights == "SELECT" else None)
        for statement in self.script.of("GrantStmt", "AlterDefaultPrivilegesStmt"):
            node = _grant_of(statement)
            if node.get("is_grant"):
                self._check_grant(statement, node)

    def _check_grant(self, statement: Statement, node: Node) -> None:
        if node.get("objtype") in _ROUTINES and statement.kind == "GrantStmt":
            self._routines(statement, node)
        if node.get("objtype") not in _TABLES:
            return
        for role in kinds(node.get("grantees", []), "RoleSpec"):
            (name,) = roles_of([{"RoleSpec": role}])
            if name in ("public", "anon"):
                self._check_role(statement, node, name, role)

    def _routines(self, statement: Statement, node: Node) -> None:
        """Report EXECUTE on SECURITY DEFINER functions of the migration set."""
        everyone = (
            role
            for role in kinds(node.get("grantees", []), "RoleSpec")
            if roles_of([{"RoleSpec": role}]) == ("public",)
        )
        role = next(everyone, None)
        reached = self._reached_definers(node) if role is not None and self._definers else []
        if role is not None and reached:
            text = (
                f"everyone (PUBLIC) may execute {reached[0]}, which runs with its owner's privileges; "
                "grant it to a role"
            )
            self.report_at(statement, text, role.get("location"))

    def _reached_definers(self, node: Node) -> list[Name]:
        if node.get("targtype") == "ACL_TARGET_ALL_IN_SCHEMA":
            schemas = set(texts(node.get("objects")))
            return sorted(name for name in self._definers if name.schema in schemas)
        routines = kinds(node.get("objects", []), "ObjectWithArgs")
        names = (
            name_of_parts(texts(routine.get("objname")), self.script.default_schema) for routine in routines
        )
        return sorted(name for name in names if name in self._definers)

    @cached_property
    def _definers(self) -> set[Name]:
        return {Name(*parts) for parts in self.script.set_schema.routines.definers()}

    def _check_role(self, statement: Statement, node: Node, who: str, role: Node) -> None:
        privileges = _privileges(node)
        if node.get("objtype") != "OBJECT_TABLE" and set(privileges) <= _HARMLESS:
            return
        if self._is_revoked(node, who) or self._is_restricted(node, who):
            return
        by_default = node.get("targtype") == _DEFAULTS
        level = Severity.INFO if who == "anon" and (by_default or privileges == ["SELECT"]) else None
        what = f"{', '.join(privileges)} on every future table" if by_default else ", ".join(privileges)
        self.report_at(
            statement,
            f"{what} is granted to {_GRANTEES[who]}; grant it to the role that needs it",
            role.get("location"),
            level,
        )

    def _is_revoked(self, node: Node, who: str) -> bool:
        """Return True if a later statement revokes the grant."""
        tables = [self.script.name_of(relation) for relation in kinds(node.get("objects", []), "RangeVar")]
        return bool(tables) and all(who in self.script.set_schema.shut.get(name, ()) for name in tables)

    def _is_restricted(self, node: Node, who: str) -> bool:
        """Return True if row-level security or a list of columns restricts the grant."""
        return (who == "anon" and not self._is_open(node)) or self._is_narrowed(node, who)

    def _is_narrowed(self, node: Node, who: str) -> bool:
        """Return True if only SELECT on some columns is granted, on tables whose privileges were revoked."""
        rights = list(kinds(node.get("privileges", []), "AccessPriv"))
        tables = [self.script.name_of(relation) for relation in kinds(node.get("objects", []), "RangeVar")]
        few = all(right.get("priv_name") == "select" and right.get("cols") for right in rights)
        used = all(self.script.set_schema.is_withheld(name, who, "select") for name in tables)
        return bool(rights and tables) and few and used

    def _is_open(self, node: Node) -> bool:
        """Return True if one of the tables has no known row-level security."""
        schema = self.script.set_schema
        tables = [self.script.name_of(relation) for relation in kinds(node.get("objects", []), "RangeVar")]
        views = [t for t in tables if t in schema.secured_views]
        guarded = [
            t for t in tables if (t in schema.tables and schema.tables[t].rls) or schema.is_enabled_by_loop(t)
        ]
        if node.get("targtype") in ("ACL_TARGET_ALL_IN_SCHEMA", _DEFAULTS):
            rights = {p.get("priv_name", "") for p in kinds(node.get("privileges", []), "AccessPriv")}
            return rights != {"select"}
        return len(guarded) + len(views) < len(tables)


_HARMLESS = frozenset({"USAGE", "CONNECT", "TEMPORARY", "TEMP"})
_GRANTEES = {"public": "everyone (PUBLIC)", "anon": "anon, that is, every unauthenticated client"}


def _privileges(node: Node) -> list[str]:
    named = (
        privilege.get("priv_name", "").upper()
        for privilege in kinds(node.get("privileges", []), "AccessPriv")
    )
    return sorted(named) or ["ALL"]


def _grant_of(statement: Statement) -> Node:
    """Return the grant of a statement; empty for the platform's defaults, which every dump repeats."""
    if statement.kind == "GrantStmt":
        return statement.node
    owners = roles_of(items(option(statement.node.get("options"), "roles")))
    action: Node = statement.node.get("action", {})
    return {} if set(owners) & _PLATFORM else action
