"""SQ005: a SECURITY DEFINER function that trusts the caller's search path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck
from wardround_sql.nodes import content, is_true, kinds, option, text_of, texts
from wardround_sql.schema import dotted


class DefinerSearchPath(SqlCheck):
    """A SECURITY DEFINER function does not set its search_path.

    It runs with its owner's rights, but finds tables and functions by the caller's search path: whoever can
    create objects in any schema of that path puts their own in place of yours. Add ``SET search_path = ''``
    and qualify the names.
    """

    ID = "SQ005"
    NAME = "definer-without-search-path"
    PLANE = Plane.SECURITY
    WORDS = ("definer",)
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
            "create procedure f() language sql security definer as 'select 1';\n"
            "alter function other() set search_path = '';\n",
            1,
            35,
        ),
    ]

    def run(self) -> None:
        for statement in self.script.of("CreateFunctionStmt"):
            options = statement.node.get("options", [])
            if not is_true(option(options, "security")) or text_of(option(options, "language")) in (
                "c",
                "internal",
            ):
                continue
            pinned = {s.get("name") for s in kinds(options, "VariableSetStmt")}
            name = dotted(texts(statement.node.get("funcname")), self.script.default_schema)
            if "search_path" in pinned or name in self.script.whole.pinned_functions:
                continue
            place = next(
                e.get("location")
                for one in options
                if (e := content(one, "DefElem")) and e.get("defname") == "security"
            )
            self.say(
                statement, f"function {name} runs as its owner but by the caller's search_path; set it", place
            )
