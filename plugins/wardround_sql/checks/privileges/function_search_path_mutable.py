"""SQ006: exposed function without a search_path."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import is_true, option, text_of, texts
from wardround_sql.schema.model import dotted


class FunctionSearchPathMutable(SqlCheck):
    """Function in an exposed schema that does not set its ``search_path``.

    Its names are resolved by the caller's search path, so it may behave differently for each role. Add ``SET
    search_path = ''`` and qualify the names.
    """

    ID = "SQ006"
    NAME = "function-search-path-mutable"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    WORDS = ("function",)

    CASE_PATH = "supabase/migrations/0002_change.sql"
    VALID = [
        code("""
            create function f() returns int language sql set search_path = '' as 'select 1';
        """),
        code("""
            create function f() returns int language sql as 'select 1';
            alter function f() set search_path = '';
        """),
    ]
    INVALID = [
        code("""
            «create function f() returns int language sql as 'select 1'»;
        """),
        code("""
            select 1;
            «create or replace function public.f()»
            returns int language sql as 'select 1';
        """),
    ]

    def run(self) -> None:
        for statement in self.script.of("CreateFunctionStmt"):
            options = statement.node.get("options", [])
            name = dotted(texts(statement.node.get("funcname")), self.script.default_schema)
            if is_true(option(options, "security")) or "sql_body" in statement.node:
                continue
            if text_of(option(options, "language")) in ("c", "internal") or not self.script.is_exposed(name):
                continue
            routine = self.script.set_schema.routines.made_by(statement)
            if routine is None or routine.pinned or routine.definer or self.script.set_schema.pins_all:
                continue
            if self.script.exposure.serves(routine.schema):
                self.report_at(
                    statement, f"function {name} uses the caller's search_path; add SET search_path"
                )
