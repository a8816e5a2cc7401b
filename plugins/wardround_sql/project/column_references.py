"""Queries of the project that use a column of a table."""

from __future__ import annotations

import re

from wardround_sql.document import SqlDocument
from wardround_sql.frontends.registry import calls
from wardround_sql.parsing.pg_nodes import Node, column_name, content, kinds, members
from wardround_sql.parsing.statements import SqlFragment, Statement, parsed
from wardround_sql.project import migration_files
from wardround_sql.schema.model import Name

_CODE = ("*.py", "*.ts", "*.tsx", "*.mts", "*.js", "*.mjs", "*.cjs", "*.rb", "*.sql")
_MOST = 40
"""Maximum number of files to read."""
_LONGEST = 200_000
_ASKS = r"(?i)(?:\b(?:from|join|update|into)|\()\W{{1,4}}(?:\w+\W{{1,3}})?{table}\b"
"""Reference to a table in a query or a query builder."""


def first_use(script: SqlDocument, table: Name, column: str) -> tuple[str, int] | None:
    """Return a file outside the migrations whose query uses a column, and the line; None if there is none."""
    project = script.source.project
    query = re.compile(_ASKS.format(table=re.escape(table.name)))
    for path in _candidates(script, table, column)[:_MOST]:
        text = project.read(path) or ""
        if len(text) > _LONGEST or not query.search(text):
            continue
        line = _line_of_use(path, text, table.name, column)
        if line:
            return path, line
    return None


def _candidates(script: SqlDocument, table: Name, column: str) -> list[str]:
    """Return the other relevant files that contain both names."""
    project = script.source.project
    with_table = set(project.files_with_word((table.name,), _CODE))
    with_both = [path for path in project.files_with_word((column,), _CODE) if path in with_table]
    return [path for path in with_both if path != script.path and not _is_irrelevant(script, path)]


def _is_irrelevant(script: SqlDocument, path: str) -> bool:
    """Return True if a file is not code that runs from now on."""
    return (
        migration_files.is_migration(path, script.options.migrations)
        or migration_files.is_prisma(path)
        or migration_files.is_non_production(path)
        or migration_files.is_seed(path)
        or migration_files.is_down(path)
    )


def _line_of_use(path: str, text: str, table: str, column: str) -> int:
    for fragment in (
        [SqlFragment(text)] if path.endswith(migration_files.SUFFIXES) else calls(path, text).fragments
    ):
        if table not in fragment.text or column not in fragment.text:
            continue
        for statement in parsed(fragment, path).statements:
            location = _use(statement, table, column)
            if location is not None:
                start = statement.offset + statement.point(location)
                return text.count("\n", 0, statement.fragment.place(start, start + 1)[0]) + 1
    return 0


def _use(statement: Statement, table: str, column: str) -> int | None:
    """Return the location at which a statement uses the column; None if it does not or that is uncertain."""
    if statement.kind not in ("SelectStmt", "InsertStmt", "UpdateStmt", "DeleteStmt"):
        return None
    written = _written(statement, table, column)
    if written is not None:
        return written
    tables = [item for item in (_target(statement), *statement.kinds("RangeVar")) if item.get("relname")]
    if table not in {item["relname"] for item in tables}:
        return None
    others = {_alias(entry) for entry in tables if entry["relname"] != table}
    aliases = {_alias(item) for item in tables if item["relname"] == table} - others
    named = {target.get("name") for target in statement.kinds("ResTarget")} | _local_names(statement.node)
    is_bare_certain = len(tables) == 1 and column not in named and "." not in table
    for reference in statement.kinds("ColumnRef"):
        name = column_name({"ColumnRef": reference})
        if name[-1:] == [column] and (is_bare_certain if len(name) == 1 else name[-2] in aliases):
            return int(reference.get("location", 0))
    return None


def _target(statement: Statement) -> Node:
    """Return the table that a statement writes; empty for SELECT."""
    target: Node = statement.node.get("relation", {}) if statement.kind != "SelectStmt" else {}
    return target


def _written(statement: Statement, table: str, column: str) -> int | None:
    """Return the location at which INSERT or UPDATE writes the column."""
    node = statement.node
    if statement.kind == "DeleteStmt" or _target(statement).get("relname") != table:
        return None
    for target in members(node.get("cols", node.get("targetList")), "ResTarget"):
        if target.get("name") == column:
            return int(target.get("location", 0))
    return None


def _alias(table: Node) -> str:
    return str((table.get("alias") or {}).get("aliasname") or table.get("relname", ""))


def _local_names(node: Node) -> set[str]:
    """Return the names of subqueries and functions in FROM or WITH of a statement, and of their columns."""
    found = {str(cte.get("ctename", "")) for cte in kinds(node, "CommonTableExpr")}
    for item in (*kinds(node, "RangeSubselect"), *kinds(node, "RangeFunction")):
        alias = item.get("alias") or {}
        found.add(str(alias.get("aliasname", "")))
        found |= {str((content(c, "String") or {}).get("sval", "")) for c in alias.get("colnames", [])}
    return found
