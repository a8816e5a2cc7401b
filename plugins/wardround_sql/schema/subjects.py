"""Names of the tables, views and functions that statements define or change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from wardround_sql.parsing.pg_nodes import Node, kinds, text_of
from wardround_sql.parsing.statements import Statement


def subjects_of(statements: Iterable[Statement]) -> set[str]:
    """Return the names, without their schemas, as words to search for in other files."""
    return {name for statement in statements for name in _names(statement) if name}


def _names(statement: Statement) -> Iterator[str]:
    node = statement.node
    for key in ("relation", "table", "view"):
        relation = node.get(key, {})
        if isinstance(relation, dict):
            yield relation.get("relname", "")
    if statement.kind in _BY_KIND:
        yield from _BY_KIND[statement.kind](node)


def _new_name(node: Node) -> Iterable[str]:
    return (node.get("newname", ""),) if node.get("renameType") in ("OBJECT_TABLE", "OBJECT_VIEW") else ()


def _selected_into(node: Node) -> Iterable[str]:
    return (node["intoClause"].get("rel", {}).get("relname", ""),) if "intoClause" in node else ()


def _relations(nodes: object) -> Iterable[str]:
    return (relation.get("relname", "") for relation in kinds(nodes, "RangeVar"))


_BY_KIND: dict[str, Callable[[Node], Iterable[str]]] = {
    "CreateFunctionStmt": lambda node: (text_of(node["funcname"][-1]),),
    "AlterFunctionStmt": lambda node: (text_of(node.get("func", {}).get("objname", [{}])[-1]),),
    "SelectStmt": _selected_into,
    "CreateTableAsStmt": lambda node: (node.get("into", {}).get("rel", {}).get("relname", ""),),
    "RenameStmt": _new_name,
    "CreateStmt": lambda node: _relations(node.get("inhRelations", [])),
    "GrantStmt": lambda node: _relations(node.get("objects", [])),
    "CreateForeignTableStmt": lambda node: (node.get("base", {}).get("relation", {}).get("relname", ""),),
}
