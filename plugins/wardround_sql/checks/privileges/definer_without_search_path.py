from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import content, option, text_of
from wardround_sql.parsing.statements import Statement
from wardround_sql.schema.model import Name


class DefinerWithoutSearchPath(SqlCheck):
    """SECURITY DEFINER function that does not set its ``search_path``.

    It runs with its owner's privileges but resolves names by the caller's search path, so anyone who can
    create objects in a schema of that path can substitute their own. Add ``SET search_path = ''`` and qualify
    the names.
    """

    ID = "SQ005"
    NAME = "definer-without-search-path"
    SEVERITY = Severity.INFO
    PLANE = Plane.SECURITY
    WORDS = ("definer", "reset")

    VALID = [
        code("""
            create function f() returns int language sql security invoker as 'select 1';
        """),
        code("""
            create function f() returns int language sql security definer as 'select 1';
            alter function f() set search_path = public, pg_temp;
        """),
    ]
    INVALID = [
        code("""
            create function f() returns int language sql «security» definer as 'select 1';
        """),
        code("""
            create or replace function app.f(a int)
            returns void language plpgsql
            as $$ begin end $$
            «security» definer;
        """),
    ]

    def run(self) -> None:
        for statement in self.script.of("CreateFunctionStmt", "AlterFunctionStmt"):
            routine = self.script.set_schema.routines.opened_by(statement)
            if routine is None or self.script.set_schema.pins_all:
                continue
            created = routine.made.node.get("options", []) if routine.made else []
            if text_of(option(created, "language")) in ("c", "internal"):
                continue
            name = Name(routine.schema, routine.name)
            text = f"function {name} runs as its owner but with the caller's search_path; add SET search_path"
            self.report_at(statement, text, _security_location(statement))


def _security_location(statement: Statement) -> int | None:
    """Return the location of SECURITY DEFINER."""
    arguments = statement.node.get("options") or statement.node.get("actions") or []
    elements = (content(item, "DefElem") or {} for item in arguments)
    return next(
        (element.get("location") for element in elements if element.get("defname") == "security"), None
    )
