from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import Node, texts, type_name, walk
from wardround_sql.parsing.statements import Statement

_OWN = frozenset({"user_metadata", "raw_user_meta_data"})


_READS = LazyPattern(
    r"(?i)\bjwt\s*\(\s*\)\s*\)?\s*(?:::\s*jsonb?\s*)?(?:->\s*'(user_metadata)'|"
    r"#>>?\s*'\{\s*(user_metadata)\b)|"
    r"'request\.jwt\.claims'[^;]{0,80}'(user_metadata)'"
)
_DECIDES = LazyPattern(r"(?i)^(?:is|has|can|may|check|current|get|my|user)_\w*|role|admin|tenant|org")


class UserMetadataInPolicy(SqlCheck):
    """Policy that relies on ``user_metadata``, which every user can change.

    Supabase lets users update their own metadata, so any user can become an administrator. Use
    ``app_metadata``, or a table that only the server writes.
    """

    ID = "SQ014"
    NAME = "user-metadata-in-policy"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    WORDS = ("user_metadata", "raw_user_meta_data")

    CASE_PATH = "supabase/migrations/0002_change.sql"
    VALID = [
        code("""
            create policy p on notes using ((select auth.jwt() -> 'app_metadata' ->> 'role') = 'admin');
        """),
        code("""
            select raw_user_meta_data from auth.users;
        """),
    ]
    INVALID = [
        code("""
            create function is_staff() returns boolean language sql stable as $$
              select (auth.jwt() -> «'user_metadata'» ->> 'staff')::boolean $$;
        """),
        code("""
            create policy p on notes using ((auth.jwt() -> «'user_metadata'» ->> 'role') = 'admin');
        """),
    ]

    def run(self) -> None:
        for statement in self.script.of("CreateFunctionStmt"):
            self._function(statement)
        for statement in self.script.of("CreatePolicyStmt", "AlterPolicyStmt"):
            nodes = walk(self.script.conditions(statement))
            node = next((node for node in nodes if _names(node) & _OWN), None)
            if node is not None:
                inside = node.get("A_Const") or node.get("ColumnRef") or {}
                text = (
                    f'policy "{statement.node.get("policy_name")}" relies on metadata '
                    "that users can change; use app_metadata"
                )
                self.report_at(statement, text, inside.get("location"))

    def _function(self, statement: Statement) -> None:
        """Report a function that identifies users by their own metadata."""
        match = _READS.search(statement.text)
        name = texts(statement.node.get("funcname"))[-1]
        returned = type_name(statement.node.get("returnType", {}))
        if match is None or returned == "trigger" or (returned != "bool" and not _DECIDES.search(name)):
            return
        offset = min(match.start(group) for group in (1, 2, 3) if match[group])
        text = f"{name}() relies on metadata that users can change; use app_metadata"
        self.report_at(statement, text, len(statement.text[: offset - 1].encode()))


def _names(node: Node) -> set[str]:
    """Return the keys of a JSON path, or the parts of a column, in a node."""
    constant = node.get("A_Const", {}).get("sval", {}).get("sval", "") if "A_Const" in node else ""
    fields = node.get("ColumnRef", {}).get("fields", []) if "ColumnRef" in node else []
    parts = {part.strip() for part in constant.strip("{}").split(",")}
    return parts | {field.get("String", {}).get("sval", "") for field in fields}
