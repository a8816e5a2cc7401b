"""Arbitrary choice among several rows: ``LIMIT 1`` and ``DISTINCT ON`` without an order."""

from __future__ import annotations

from collections.abc import Iterator

from wardround_sql.document import SqlDocument
from wardround_sql.parsing import pg_nodes
from wardround_sql.parsing.pg_nodes import Node, column_name, content, walk
from wardround_sql.queries.fact_types import UnorderedLimit
from wardround_sql.queries.selects import conjuncts, is_single_row, parameters_of, roots

_KEYS = ("id", "uuid", "pk", "slug", "key", "email", "token", "code")
_DATED = ("_at", "_on", "date", "time", "from", "until", "version", "_day", "_ts", "timestamp")


def chosen_rows(script: SqlDocument) -> Iterator[UnorderedLimit]:
    """Yield ``LIMIT 1`` without ORDER BY; ``parameter`` is True if the condition matches several rows."""
    for statement in roots(script):
        for select in statement.selects:
            constant = content(select.get("limitCount"), "A_Const")
            if constant is None or constant.get("ival", {}).get("ival") != 1 or "sortClause" in select:
                continue
            where = select.get("whereClause")
            if (
                is_single_row(select)
                or _selects_constants(select)
                or _has_key(where, parameters_of(statement))
            ):
                continue
            several = any(_is_range(part) for part in conjuncts(where))
            span = script.locations.span(statement, constant.get("location"))
            yield UnorderedLimit(span, "", statement, 1, several)


def _selects_constants(select: Node) -> bool:
    targets = [(content(node, "ResTarget") or {}).get("val") for node in select.get("targetList", [])]
    return all(content(target, "A_Const") is not None for target in targets)


def _has_key(where: object, parameters: frozenset[str]) -> bool:
    """Return True if a condition selects one row by a probable key."""
    return any(_compares_key(content(part, "A_Expr") or {}, parameters) for part in conjuncts(where))


def _compares_key(expression: Node, parameters: frozenset[str]) -> bool:
    if expression.get("kind") != "AEXPR_OP" or pg_nodes.texts(expression.get("name")) != ["="]:
        return False
    names = [column_name(expression.get(operand))[-1:] for operand in ("lexpr", "rexpr")]
    columns = [name[0].lower() for name in names if name and name[0] not in parameters]
    return len(columns) == 1 and columns[0] in _KEYS


def _is_range(part: object) -> bool:
    """Return True if a condition compares a date or version with a bound."""
    expression = content(part, "A_Expr") or {}
    if expression.get("kind") != "AEXPR_OP" or pg_nodes.texts(expression.get("name"))[0] not in (
        "<",
        "<=",
        ">",
        ">=",
    ):
        return False
    return any(
        name[-1].lower().endswith(_DATED)
        for side in ("lexpr", "rexpr")
        if (name := column_name(expression.get(side)))
    )


def arbitrary_group_rows(script: SqlDocument) -> Iterator[UnorderedLimit]:
    """Yield ``DISTINCT ON`` without ORDER BY, which keeps an arbitrary row of each group."""
    for statement in roots(script):
        for select in statement.selects:
            distinct = select.get("distinctClause", [])
            if any(item for item in distinct) and "sortClause" not in select:
                node = next((n["location"] for n in walk(distinct) if "location" in n), None)
                yield UnorderedLimit(script.locations.span(statement, node), "", statement)
