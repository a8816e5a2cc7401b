"""SQ006: a function of an API that leaves its search path open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_sql.cases import LATER, api_invalid, api_valid, valid
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import is_true, option, text_of, texts
from wardround_sql.schema.model import dotted


class FunctionSearchPathMutable(SqlCheck):
    """A function of a schema that an API serves does not set its search_path.

    Its names mean whatever the caller's search path makes of them, so it can behave differently for different
    roles. ``SET search_path = ''`` with qualified names gives it one meaning.
    """

    ID = "SQ006"
    NAME = "function-search-path-mutable"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    WORDS = ("function",)
    TRIED_ON = "a fetched Supabase checkout: 2 read, true, of little weight: a note"

    VALID: ClassVar[Sequence[str | Valid]] = [
        api_valid("create function f() returns int language sql set search_path = '' as 'select 1';\n"),
        api_valid(
            "create function f() returns int language sql as 'select 1';\nalter function f() set "
            "search_path = '';\n"
        ),
        valid("create function f() returns int language sql as 'select 1';\n"),
        api_valid(
            "create function f() returns int language sql as 'select 1';\n"
            "alter function f() set schema private;\n"
        ),
        api_valid(
            "create function f() returns int language sql as 'select 1';\n",
            {
                LATER: "create or replace function f() returns int language sql set search_path = '' "
                "as 'select 1';\n"
            },
        ),
        api_valid("create function f() returns int language sql security definer as 'select 1';\n"),
        api_valid("create function f() returns int begin atomic select 1; end;\n"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        api_invalid("create function f() returns int language sql as 'select 1';\n", 1, 1),
        api_invalid(
            "select 1;\ncreate or replace function public.f()\nreturns int language sql as 'select 1';\n",
            2,
            1,
        ),
        api_invalid(
            "create function f() returns trigger language plpgsql as $$ begin return new; end $$;\n", 1, 1
        ),
    ]

    def run(self) -> None:
        for statement in self.script.of("CreateFunctionStmt"):
            options = statement.node.get("options", [])
            name = dotted(texts(statement.node.get("funcname")), self.script.default_schema)
            if is_true(option(options, "security")) or "sql_body" in statement.node:
                continue
            if text_of(option(options, "language")) in ("c", "internal") or not self.script.is_exposed(name):
                continue
            routine = self.script.whole.routines.made_by(statement)
            if routine is None or routine.pinned or routine.definer or self.script.whole.pins_all:
                continue
            if self.script.exposure.serves(routine.schema):
                self.say(statement, f"function {name} leaves its search_path to the caller")
