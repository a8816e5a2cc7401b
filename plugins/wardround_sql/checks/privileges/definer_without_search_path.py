"""SQ005: a SECURITY DEFINER function that trusts the caller's search path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import content, option, text_of
from wardround_sql.parsing.statements import Statement
from wardround_sql.schema.model import Name


class DefinerWithoutSearchPath(SqlCheck):
    """A SECURITY DEFINER function does not set its search_path.

    It runs with its owner's rights, but finds tables and functions by the caller's search path: whoever can
    create objects in any schema of that path puts their own in place of yours. Add ``SET search_path = ''``
    and qualify the names.
    """

    ID = "SQ005"
    NAME = "definer-without-search-path"
    PLANE = Plane.SECURITY
    WORDS = ("definer", "reset")
    TRIED_ON = "one fetched checkout: 3 read, all right"

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid(
            "create function f() returns int language sql security definer set search_path = '' "
            "as 'select 1';\n"
        ),
        valid("create function f() returns int language sql security invoker as 'select 1';\n"),
        valid(
            "create function f() returns int language sql security definer as 'select 1';\n"
            "alter function f() set search_path = public, pg_temp;\n"
        ),
        valid(
            "create function f() returns int language sql security definer as 'select 1';\n"
            "create or replace function f() returns int language sql as 'select 2';\n"
        ),
        valid("alter function f() security definer;\n"),
        valid("create function f() returns int language c security definer as 'lib', 'f';\n"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid("create function f() returns int language sql security definer as 'select 1';\n", 1, 46),
        invalid(
            "create or replace function app.f(a int)\nreturns void language plpgsql\nas $$ begin end $$\n"
            "security definer;\n",
            4,
            1,
        ),
        invalid(
            "create function f(a int) returns int language sql security definer as 'select 1';\n"
            "create function f(a text) returns int language sql security definer as 'select 1';\n"
            "alter function f(int) set search_path = '';\n",
            2,
            52,
        ),
        invalid(
            "create function f() returns int language sql security definer set search_path = '' "
            "as 'select 1';\n"
            "alter function f() reset search_path;\n",
            2,
            1,
        ),
        invalid(
            "alter function f() security definer;\n",
            1,
            20,
            others={
                "db/migrations/0001_a.sql": "create function f() returns int language sql as 'select 1';\n"
            },
        ),
        invalid(
            "create procedure f() language sql security definer as 'select 1';\n"
            "alter function other() set search_path = '';\n",
            1,
            35,
        ),
    ]

    def run(self) -> None:
        for statement in self.script.of("CreateFunctionStmt", "AlterFunctionStmt"):
            routine = self.script.whole.routines.opened_by(statement)
            if routine is None or self.script.whole.pins_all:
                continue
            made = routine.made.node.get("options", []) if routine.made else []
            if text_of(option(made, "language")) in ("c", "internal"):
                continue
            name = Name(routine.schema, routine.name)
            text = f"function {name} runs as its owner but by the caller's search_path; set it"
            self.say(statement, text, _place(statement))


def _place(statement: Statement) -> int | None:
    """Where SECURITY DEFINER is written."""
    given = statement.node.get("options") or statement.node.get("actions") or []
    elements = (content(one, "DefElem") or {} for one in given)
    return next((one.get("location") for one in elements if one.get("defname") == "security"), None)
