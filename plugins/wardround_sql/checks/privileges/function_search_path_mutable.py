from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import is_true, option, text_of, texts
from wardround_sql.parsing.statements import Statement
from wardround_sql.schema.model import Name, name_of_parts


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
            if self._uses_callers_path(statement):
                name = self._name(statement)
                self.report_at(
                    statement, f"function {name} uses the caller's search_path; add SET search_path"
                )

    def _name(self, statement: Statement) -> Name:
        return name_of_parts(texts(statement.node.get("funcname")), self.script.default_schema)

    def _uses_callers_path(self, statement: Statement) -> bool:
        options = statement.node.get("options", [])
        if is_true(option(options, "security")) or "sql_body" in statement.node:
            return False
        is_compiled = text_of(option(options, "language")) in ("c", "internal")
        return not is_compiled and self.script.is_exposed(self._name(statement)) and self._is_open(statement)

    def _is_open(self, statement: Statement) -> bool:
        """Return True if the function is exposed in the end, without a search path of its own."""
        schema = self.script.set_schema
        routine = schema.routines.made_by(statement)
        if routine is None or routine.pinned or routine.definer or schema.pins_all:
            return False
        return self.script.exposure.serves(routine.schema)
