"""SQ014: a policy that trusts what users write about themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_sql.cases import api_invalid, api_valid
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import texts, type_name, walk
from wardround_sql.parsing.statements import Statement

_OWN = frozenset({"user_metadata", "raw_user_meta_data"})


_READS = LazyPattern(
    r"(?i)\bjwt\s*\(\s*\)\s*\)?\s*(?:::\s*jsonb?\s*)?(?:->\s*'(user_metadata)'|"
    r"#>>?\s*'\{\s*(user_metadata)\b)|"
    r"'request\.jwt\.claims'[^;]{0,80}'(user_metadata)'"
)
_DECIDES = LazyPattern(r"(?i)^(?:is|has|can|may|check|current|get|my|user)_\w*|role|admin|tenant|org")


class UserMetadataInPolicy(SqlCheck):
    """A policy decides by user_metadata, which every user can change.

    Supabase lets users update their own metadata, so whoever likes makes themselves an administrator.
    Decide by ``app_metadata``, or by a table that only the server writes.
    """

    ID = "SQ014"
    NAME = "user-metadata-in-policy"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    WORDS = ("user_metadata", "raw_user_meta_data")
    TRIED_ON = (
        "68 migrations of our own, as expected after the rules were mended on them; no place in a "
        "fetched checkout was read"
    )

    VALID: ClassVar[Sequence[str | Valid]] = [
        api_valid(
            "create policy p on notes using ((select auth.jwt() -> 'app_metadata' ->> 'role') = 'admin');\n"
        ),
        api_valid("select raw_user_meta_data from auth.users;\n"),
        api_valid(
            "create function new_user() returns trigger language plpgsql as $$\nbegin\n"
            "  insert into profiles (name) values (new.raw_user_meta_data ->> 'name');\n  return "
            "new;\nend $$;\n"
        ),
        api_valid(
            "create function avatar() returns text language sql as $$\n"
            "  select auth.jwt() -> 'user_metadata' ->> 'avatar' $$;\n"
        ),
        api_valid("create policy p on notes using (metadata ->> 'kind' = 'user_metadata_copy');\n"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        api_invalid(
            "create function is_staff() returns boolean language sql stable as $$\n"
            "  select (auth.jwt() -> 'user_metadata' ->> 'staff')::boolean $$;\n",
            2,
            25,
        ),
        api_invalid(
            "create policy p on notes using ((auth.jwt() -> 'user_metadata' ->> 'role') = 'admin');\n", 1, 48
        ),
        api_invalid(
            "create policy p on notes for insert\nwith check ((select raw_user_meta_data ->> 'r' "
            "from auth.users) = 'a');\n",
            2,
            21,
        ),
        api_invalid(
            "alter policy p on notes using ((select auth.jwt() #>> '{user_metadata,role}') = 'x');\n", 1, 55
        ),
    ]

    def run(self) -> None:
        for statement in self.script.of("CreateFunctionStmt"):
            self._function(statement)
        for statement in self.script.of("CreatePolicyStmt", "AlterPolicyStmt"):
            for one in walk(self.script.conditions(statement)):
                constant = one.get("A_Const", {}).get("sval", {}).get("sval", "") if "A_Const" in one else ""
                parts = {part.strip() for part in constant.strip("{}").split(",")}
                fields = one.get("ColumnRef", {}).get("fields", []) if "ColumnRef" in one else []
                parts |= {field.get("String", {}).get("sval", "") for field in fields}
                if parts & _OWN:
                    inside = one.get("A_Const") or one.get("ColumnRef") or {}
                    text = (
                        f'policy "{statement.node.get("policy_name")}" decides by metadata '
                        "that users write themselves"
                    )
                    self.say(statement, text, inside.get("location"))
                    break

    def _function(self, statement: Statement) -> None:
        """A function that says who somebody is by what they wrote."""
        found = _READS.search(statement.text)
        name = texts(statement.node.get("funcname"))[-1]
        returned = type_name(statement.node.get("returnType", {}))
        if found is None or returned == "trigger" or (returned != "bool" and not _DECIDES.search(name)):
            return
        at = min(found.start(group) for group in (1, 2, 3) if found[group])
        text = f"{name}() decides by metadata that users write themselves"
        self.say(statement, text, len(statement.text[: at - 1].encode()))
