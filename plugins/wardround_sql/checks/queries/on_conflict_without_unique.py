from __future__ import annotations

from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import Node, members
from wardround_sql.parsing.statements import Statement
from wardround_sql.schema.model import Name
from wardround_sql.schema.uniqueness import Uniques, index_column, uniques_of

_BUILT = LazyPattern(
    r"\b\w+\(\s*['\"`](?P<table>\w+)['\"`]\s*\)(?:\s*\.(?!onConflict)\w+\([^()]*(?:\([^()]*\)[^()]*)*\))*\s*"
    r"\.onConflict\(\s*(?P<knex>\[[^\[\]]*\]|['\"`][\w, ]+['\"`])\s*\)|"
    r"\.from\(\s*['\"`](?P<other>\w+)['\"`]\s*\)\s*\.upsert\((?:[^()]|\([^()]*\))*?\bonConflict:\s*"
    r"(?P<supabase>['\"`][\w, ]+['\"`])"
)
"""Knex and Supabase calls with literal columns."""
_WORD = LazyPattern(r"\w+")


class OnConflictWithoutUnique(SqlCheck):
    """ON CONFLICT on columns without a matching unique constraint or index.

    The columns must be exactly those of one unique constraint or index; a plain index does not count, and a
    partial one counts only if ON CONFLICT repeats its WHERE. The statement fails at every execution, with or
    without a conflict. Name the columns of an existing constraint, or add the constraint first.
    """

    ID = "SQ200"
    NAME = "on-conflict-without-unique"
    READS = "code"
    WORDS = ("conflict",)

    VALID = [
        code("""
            create table a (id int primary key, b int, c int, unique (b, c));
            insert into a (b, c) values (1, 2)
            on conflict (c, b) do nothing;
        """),
        code("""
            create table a (id int primary key, b int, c int, unique (b, c));
            insert into a (b, c) values (1, 2)
            on conflict do nothing;
        """),
    ]
    INVALID = [
        code("""
            create table a (id int primary key, b int, c int, unique (b, c));
            insert into a (b, c) values (1, 2)
            «on» conflict (b) do nothing;
        """),
        code(
            """
            insert into a (b, c) values (1, 2)
            «on» conflict (b) do update set c = 2;
            """,
            others={
                "db/migrations/0001_first.sql": """
                create table a (id int primary key, b int, c int, unique (b, c));""",
            },
        ),
    ]

    def run(self) -> None:
        if self.script.is_non_production or not self.script.is_postgres:
            return
        for statement in self.script.queries:
            own = [statement.node] if statement.kind == "InsertStmt" else []
            for node in [*own, *statement.kinds("InsertStmt")] if self._is_inspected(statement) else ():
                clause = node.get("onConflictClause", {})
                if clause.get("infer"):
                    self._insert(statement, node, clause)
        if not self.script.is_sql:
            self._report_builders()

    def _report_builders(self) -> None:
        """Report ON CONFLICT of query builders."""
        for match in _BUILT.finditer(self.source.text):
            group = "knex" if match["knex"] else "supabase"
            columns = _WORD.findall(match[group])
            table = Name("public", match["table"] or match["other"])
            uniques = uniques_of(self.script, None, table) if columns else []
            if uniques and not any(_is_key(item, frozenset(columns), partial=False) for item in uniques):
                location = self.script.locations.span_of(*match.span(group))
                self.report(location, _message(table, columns, uniques))

    def _is_inspected(self, statement: Statement) -> bool:
        """Return True if a statement is inspected itself, not through the statements of its body."""
        return statement.kind not in ("CreateFunctionStmt", "DoStmt")

    def _insert(self, statement: Statement, node: Node, clause: Node) -> None:
        infer: Node = clause["infer"]
        table = self.script.name_of(node.get("relation", {}))
        result = uniques_of(self.script, statement, table)
        if not result or any(_has_matching_unique(item, infer) for item in result):
            return
        name = infer.get("conname")
        if name:
            text = (
                f"{table} has no constraint {name}, so ON CONFLICT always fails; name an existing constraint"
            )
        else:
            elements = members(infer.get("indexElems"), "IndexElem")
            text = _message(
                table, [str(element.get("name") or "an expression") for element in elements], result
            )
        self.report_at(statement, text, clause.get("location"))


def _message(table: Name, columns: list[str], result: list[Uniques]) -> str:
    has = ", ".join(sorted({str(item) for item in result[0].known if item.whole})) or "none"
    expected = ", ".join(columns)
    return (
        f"{table} has no unique constraint on exactly ({expected}), so ON CONFLICT fails; "
        f"its unique columns are {has}"
    )


def _has_matching_unique(uniques: Uniques, infer: Node) -> bool:
    """Return True if ON CONFLICT has a matching constraint or index."""
    if infer.get("conname"):
        return any(known.name[:63] == infer["conname"] and known.constraint for known in uniques.known)
    expected = frozenset(map(index_column, members(infer.get("indexElems"), "IndexElem")))
    return _is_key(uniques, expected, partial="whereClause" in infer)


def _is_key(uniques: Uniques, expected: frozenset[str], *, partial: bool) -> bool:
    return any(known.parts == expected and (known.whole or partial) for known in uniques.known)
