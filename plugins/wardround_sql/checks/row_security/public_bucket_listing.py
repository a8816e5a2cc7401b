from __future__ import annotations

from collections.abc import Iterator

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import Node, column_name, content, is_constant_true, items, kinds
from wardround_sql.parsing.statements import SqlFragment, Statement, parse_fragment
from wardround_sql.project.migration_files import set_patterns
from wardround_sql.queries.selects import conjuncts
from wardround_sql.schema.model import roles_of

_CLIENTS = {"public", "anon", "authenticated"}


class PublicBucketListing(SqlCheck):
    """Policy that lets clients list the files of a public bucket.

    The files of a public bucket are served by their URL without a policy. A policy for SELECT on
    ``storage.objects`` only adds the list of all file names of all users. Remove it, or restrict it to the
    user's own folder.
    """

    ID = "SQ065"
    NAME = "public-bucket-listing"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    WORDS = ("storage.objects", '"objects"')

    CASE_PATH = "supabase/migrations/0002_change.sql"
    VALID = [
        code("""
            create policy p on storage.objects for select to anon using (bucket_id = 'pics');
        """),
        code("""
            insert into storage.buckets (id, name, public) values ('pics', 'pics', false);
            create policy p on storage.objects for select to anon using (bucket_id = 'pics');
        """),
    ]
    INVALID = [
        code("""
            insert into storage.buckets (id, name, public) values ('pics', 'pics', true);
            «create policy p on storage.objects for select to anon using (bucket_id = 'pics')»;
        """),
        code(
            """
            «create policy p on storage.objects for select to anon using (bucket_id = 'pics')»;
            """,
            others={
                "supabase/migrations/0001_first.sql": """
                insert into storage.buckets (id, name, public) values ('pics', 'pics', true);
                """,
            },
        ),
    ]

    def run(self) -> None:
        for statement in self.script.of("CreatePolicyStmt"):
            named = _buckets(statement.node.get("qual")) if self._lists_files(statement) else None
            if named is None:
                continue
            exposed = sorted(self._public_buckets() & named if named else self._public_buckets())
            if exposed:
                self.report_at(
                    statement,
                    f"policy lets clients list all files of public bucket {exposed[0]}; "
                    "remove or restrict it",
                )

    def _lists_files(self, statement: Statement) -> bool:
        """Return True if a permissive policy lets clients read ``storage.objects``."""
        node = statement.node
        table = node.get("table", {})
        if (table.get("schemaname"), table.get("relname")) != ("storage", "objects"):
            return False
        if not node.get("permissive") or node.get("cmd_name", "all") not in ("select", "all"):
            return False
        clients = set(roles_of(node.get("roles")) or ("public",)) & _CLIENTS
        return bool(clients) and self.script.policy(statement) is not None

    def _public_buckets(self) -> set[str]:
        """Return the buckets that the migration set makes public."""
        project, path = self.source.project, self.source.path
        paths = project.files_with_word(("buckets",), set_patterns(path))
        texts = [self.script.sql, *(project.read(other) or "" for other in paths if other != path)]
        buckets: dict[str, bool] = {}
        for text in texts:
            if "storage" in text:
                buckets.update(_set_public(text))
        return {bucket for bucket, is_public in buckets.items() if is_public}


def _buckets(condition: object) -> set[str] | None:
    """Return the buckets of a policy, empty for all of them; None if it tests more than the bucket."""
    named: set[str] = set()
    for part in conjuncts(condition):
        comparison = content(part, "A_Expr") or {}
        if column_name(comparison.get("lexpr"))[-1:] == ["bucket_id"]:
            right = comparison.get("rexpr")
            named |= {_constant_value(node) for node in (items(right) or [right])}
        elif not is_constant_true(part):
            return None
    return named - {""}


def _constant_value(node: object) -> str:
    constant = content(node, "A_Const") or {}
    return str(constant.get("sval", {}).get("sval", ""))


def _set_public(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the buckets that a text creates or changes, and whether they are public."""
    for statement in parse_fragment(SqlFragment(text), "").statements:
        relation = statement.node.get("relation", {})
        if isinstance(relation, dict) and relation.get("relname") == "buckets":
            yield from (
                _inserted_values(statement.node)
                if statement.kind == "InsertStmt"
                else _updated_values(statement.node)
            )


def _inserted_values(node: Node) -> Iterator[tuple[str, bool]]:
    columns = [target.get("name") for target in kinds(node.get("cols", []), "ResTarget")]
    rows = (content(node.get("selectStmt"), "SelectStmt") or {}).get("valuesLists", [])
    for row in rows:
        arguments = dict(zip(columns, items(row), strict=False))
        name = _constant_value(arguments.get("id")) or _constant_value(arguments.get("name"))
        if name:
            yield name, is_constant_true(arguments.get("public"))


def _updated_values(node: Node) -> Iterator[tuple[str, bool]]:
    for target in kinds(node.get("targetList", []), "ResTarget"):
        for part in conjuncts(node.get("whereClause")) if target.get("name") == "public" else ():
            comparison = content(part, "A_Expr") or {}
            if column_name(comparison.get("lexpr"))[-1:] in (["id"], ["name"]):
                yield _constant_value(comparison.get("rexpr")), is_constant_true(target.get("val"))
