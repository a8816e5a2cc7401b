"""UPDATE and DELETE statements of every row of a table."""

from __future__ import annotations

from collections.abc import Iterator

from wardround_sql.document import SqlDocument
from wardround_sql.parsing.pg_nodes import Node, content, kinds
from wardround_sql.queries.fact_types import UnfilteredWrite
from wardround_sql.queries.facts import facts_of


def writes(script: SqlDocument) -> Iterator[UnfilteredWrite]:
    """Yield UPDATE and DELETE statements without WHERE."""
    if not script.is_postgres:
        yield from facts_of(script, UnfilteredWrite)
    for statement in script.queries:
        if statement.kind in ("DeleteStmt", "UpdateStmt") and "whereClause" not in statement.node:
            node = statement.node
            if _is_narrowed(node):
                continue
            columns = tuple(
                t.get("name", "") for t in kinds(node.get("targetList", []), "ResTarget") if "name" in t
            )
            verb = "DELETE" if statement.kind == "DeleteStmt" else "UPDATE"
            relation = node.get("relation", {})
            location = relation.get("location") if "withClause" in node else None
            yield UnfilteredWrite(
                script.locations.span(statement, location),
                "",
                statement,
                verb,
                script.name_of(relation),
                columns,
            )


def _is_narrowed(node: Node) -> bool:
    """Return True if FROM or USING has another table, which may have one row."""
    named = {cte.get("ctename") for cte in kinds(node.get("withClause", {}), "CommonTableExpr")}
    adjacent = [*node.get("fromClause", []), *node.get("usingClause", [])]
    tables = [content(item, "RangeVar") for item in adjacent]
    return bool(adjacent) and not all(t is not None and t.get("relname") not in named for t in tables)
