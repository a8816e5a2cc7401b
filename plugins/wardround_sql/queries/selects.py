"""SELECTs of a file and their parts, in the tree of libpg_query."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.lazy import LazyPattern
from wardround_sql.document import SqlDocument
from wardround_sql.parsing.pg_nodes import (
    Node,
    content,
    function_name,
    is_select,
    kinds,
)
from wardround_sql.parsing.statements import Statement

_AGGREGATES = frozenset(
    (
        "count",
        "sum",
        "min",
        "max",
        "avg",
        "bool_or",
        "bool_and",
        "every",
        "array_agg",
        "string_agg",
        "json_agg",
        "jsonb_agg",
        "json_object_agg",
        "jsonb_object_agg",
    )
)


def conjuncts(where: object) -> list[object]:
    """Yield the parts of a condition joined by AND."""
    junction = content(where, "BoolExpr")
    if junction and junction.get("boolop") == "AND_EXPR":
        return [inner for part in junction["args"] for inner in conjuncts(part)]
    return [where] if where else []


def visible_selects(statement: Statement) -> Iterator[Node]:
    """Yield the SELECTs whose rows are returned: not those inside IN, EXISTS and other expressions."""
    stack: list[object] = [{statement.kind: statement.node}]
    while stack:
        result = stack.pop()
        if isinstance(result, list):
            stack.extend(reversed(result))
        elif isinstance(result, dict):
            if is_select(result):
                yield result
            stack.extend(
                value
                for key, value in result.items()
                if key not in ("SubLink", "whereClause", "CommonTableExpr")
            )


def is_single_row(select: Node) -> bool:
    """Return True if a SELECT always returns one row, or rows of no table."""
    if (
        select.get("op") == "SETOP_NONE"
        and next(kinds(select.get("fromClause", []), "RangeVar"), None) is None
    ):
        return True
    targets = select.get("targetList", [])
    return bool(targets) and "groupClause" not in select and all(map(_is_aggregate, targets))


def _is_aggregate(target: object) -> bool:
    call = content((content(target, "ResTarget") or {}).get("val"), "FuncCall")
    return function_name(call) in _AGGREGATES if call else False


_MAY_QUERY = LazyPattern(r"\b(?:select|from|using|update|table|where)\b", re.IGNORECASE)
"""Substring of every query, but not of an INSERT of literal rows, which occurs in thousands."""


def roots(script: SqlDocument) -> Iterator[Statement]:
    """Yield the statements to search for queries, so that each query occurs once."""
    skipped = ("CreateFunctionStmt", "DoStmt")
    return (s for s in script.queries if s.kind not in skipped and _MAY_QUERY.search(s.text))


def parameters_of(statement: Statement) -> frozenset[str]:
    """Return the names of the parameters of the function that contains a statement."""
    outer = statement.outer.node if statement.outer is not None else {}
    return frozenset(
        parameter.get("name", "") for parameter in kinds(outer.get("parameters", []), "FunctionParameter")
    )
