from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import Node, content, kinds, text_of, texts, type_name
from wardround_sql.parsing.statements import Statement
from wardround_sql.project.migration_files import set_patterns
from wardround_sql.schema.model import roles_of
from wardround_sql.schema.routines import Routine

_CALLER_CHECK = LazyPattern(
    r"\bauth\s*\.\s*\w+\s*\(|request\.jwt|request\.header|\bcurrent_setting\s*\(|\b(?:session|current)_user\b|"
    r"\b(?:is|has|can|check|assert|require|verify|authori[sz]e|ensure|get_my|get_current|get_user|my|current|jwt|"
    r"user)_\w*\s*\(|\bhmac\s*\(|\bcrypt\s*\(",
    re.IGNORECASE,
)
"""Code in a body that checks the caller, or delegates to a function that does."""
_SECRET = LazyPattern(r"(?i)token|secret|code|key|hash|signature|password|otp|nonce")
_WRITES = LazyPattern(r"(?i)\b(?:insert\s+into|delete\s+from|update\s+[\w.\"]+(?:\s+(?:as\s+)?\w+)?\s+set)\b")
_READS = LazyPattern(r"(?i)\bfrom\s+[\w.\"]+")
_REVOKED = LazyPattern(
    r"(?is)\brevoke\b[^;]*\bon\s+(?:all\s+)?(?:functions|routines)\b[^;]*\bfrom\b[^;]*\b(?:public|anon)\b"
)
_BYPASS = "returns rows bypassing row-level security"
_CALLERS = {"public", "anon", "authenticated"}


class UnguardedDefinerFunction(SqlCheck):
    """SECURITY DEFINER function that clients can call and that does not check the caller.

    Row-level security does not apply inside the function, and PUBLIC may execute new functions by default, so
    the API offers it to every client with arbitrary arguments. Check ``auth.uid()`` in the body, make it
    SECURITY INVOKER, move it to a schema that is not exposed, or REVOKE EXECUTE FROM PUBLIC, anon and
    authenticated.
    """

    ID = "SQ062"
    NAME = "unguarded-definer-function"
    DEFECT_CLASS = "definer-function-open"
    PLANE = Plane.SECURITY
    WORDS = ("definer",)

    _BODY = "as $$ begin update wallets set n = n - a where id = w; end $$"
    CASE_PATH = "supabase/migrations/0002_change.sql"
    VALID = [
        code("""
            create function f(a int) returns void language plpgsql security definer set search_path = ''
            as $$ begin update wallets set n = a where user_id = auth.uid(); end $$;
        """),
        code("""
            create function f() returns trigger language plpgsql security definer
            as $$ begin insert into profiles (id) values (new.id); return new; end $$;
        """),
    ]
    INVALID = [
        code("""
            «create function f(a uuid) returns setof orders language sql security definer»
            as $$ select * from orders where user_id = a $$;
        """),
        code("""
            «create function f(a int) returns void language sql security definer»
            as $$ delete from notes where id = a $$;
            revoke all on function f(int) from public, anon;
            grant execute on function f(int) to authenticated;
        """),
    ]

    def run(self) -> None:
        for statement in self.script.of("CreateFunctionStmt"):
            routine = self.script.set_schema.routines.made_by(statement)
            if routine is None or not self._is_exposed(statement, routine):
                continue
            writes = _WRITES.search(statement.text) is not None
            if not (writes or _returns_rows(statement)):
                continue
            callers = self._callers(routine.name)
            effect = "changes rows with its owner's privileges" if writes else _BYPASS
            has_parameters = bool(statement.node.get("parameters"))
            if callers:
                self.report_at(
                    statement,
                    f"{routine.name} {effect}, {callers} may call it, "
                    "and it does not check the caller; check auth.uid()",
                    severity=None if writes and has_parameters else Severity.INFO,
                )

    def _is_exposed(self, statement: Statement, routine: Routine) -> bool:
        """Return True if the API serves a SECURITY DEFINER function that does not check the caller."""
        is_function = not statement.node.get("is_procedure")  # PostgREST calls only functions
        if not routine.definer or statement.outer is not None or not is_function:
            return False
        if not self.script.exposure.serves(routine.schema) or self.script.is_non_production:
            return False
        if _returns(statement) in ("trigger", "event_trigger") or _requires_secret(statement):
            return False
        return _CALLER_CHECK.search(statement.text) is None

    def _callers(self, name: str) -> str:
        """Return a description of the clients that may execute a function; empty if there are none."""
        used: set[str] = set()
        given: set[str] = set()
        for statement in self._grants.get(name, ()):
            roles = set(roles_of(statement.node.get("grantees"))) & _CALLERS
            if statement.node.get("is_grant"):
                given |= roles
            else:
                used |= roles
                given -= roles
        if not used and self._are_all_revoked:
            used = {"public"}
        if not used:
            return "everyone"
        if given:
            return "everyone" if given - {"authenticated"} else "every signed-in user"
        return ""

    @cached_property
    def _grants(self) -> dict[str, list[Statement]]:
        """Grants of the set, by function."""
        result: dict[str, list[Statement]] = {}
        for statement in self.script.set_statements:
            for name in _functions(statement.node) if statement.kind == "GrantStmt" else ():
                result.setdefault(name, []).append(statement)
        return result

    @cached_property
    def _are_all_revoked(self) -> bool:
        """Return True if the set revokes EXECUTE on all functions, or by default."""
        return any(_REVOKED.search(text) for text in self._routine_sources())

    def _routine_sources(self) -> Iterator[str]:
        yield self.script.sql
        project = self.source.project
        words = ("functions", "FUNCTIONS", "routines", "ROUTINES")
        for path in project.files_with_word(words, set_patterns(self.source.path)):
            yield project.read(path) or ""


def _returns(statement: Statement) -> str:
    return type_name(statement.node.get("returnType", {}))


def _returns_rows(statement: Statement) -> bool:
    """Return True if a function returns rows selected by its arguments."""
    modes = {
        parameter.get("mode")
        for parameter in kinds(statement.node.get("parameters", []), "FunctionParameter")
    }
    many = statement.node.get("returnType", {}).get("setof") or "FUNC_PARAM_TABLE" in modes
    return bool(many and modes - {"FUNC_PARAM_TABLE", "FUNC_PARAM_OUT"} and _READS.search(statement.text))


def _requires_secret(statement: Statement) -> bool:
    """Return True if a parameter proves authorization: a token, or a code sent to a user."""
    arguments = kinds(statement.node.get("parameters", []), "FunctionParameter")
    return any(_SECRET.search(item.get("name", "")) for item in arguments)


def _functions(node: Node) -> set[str]:
    """Return the names of the functions of a grant."""
    result = (content(object, "ObjectWithArgs") or {} for object in node.get("objects", []))
    return {texts(item.get("objname"))[-1] for item in result if item.get("objname")} | {
        text_of(entry) for entry in node.get("objects", []) if text_of(entry)
    }
