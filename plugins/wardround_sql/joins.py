"""Joins ``ON true`` that leave the tables behind them without a connection to those before."""

from __future__ import annotations

from collections.abc import Iterator

from wardround_sql.nodes import Node, column_name, content, is_constant_true, is_select, kinds, walk
from wardround_sql.queries import CrossJoin, conjuncts, joins_of, names_of, roots
from wardround_sql.script import Script


def severed_joins(script: Script) -> Iterator[CrossJoin]:
    """A plain table joined ``ON true``, which others hang on, and none of them on what stands before."""
    for statement in roots(script):
        for select in walk(statement.node):
            sources = select.get("fromClause", []) if is_select(select) else []
            found = [join for source in sources for join in joins_of(source)]
            for join in found if len(sources) == 1 else ():
                table = content(join.get("rarg"), "RangeVar")
                if (
                    table is not None
                    and is_constant_true(join.get("quals"))
                    and _is_severed(select, join, found)
                ):
                    first = next(iter(names_of(join.get("larg")).values()), "")
                    place = script.span(statement, table.get("location"))
                    yield CrossJoin(place, "", statement, (first, table.get("relname", "")))


def _is_severed(select: Node, join: Node, joins: list[Node]) -> bool:
    """Whether conditions connect a join's table with later ones, and none of those with any before it."""
    conditions = [part for one in joins for part in conjuncts(one.get("quals"))]
    conditions += list(conjuncts(select.get("whereClause")))
    pairs = []
    for condition in conditions:
        parts = [column_name({"ColumnRef": one}) for one in kinds(condition, "ColumnRef")]
        if any(len(one) < 2 for one in parts):
            return False
        pairs.append({one[-2] for one in parts})
    (name,) = names_of(join.get("rarg"))
    reached = {name}
    for _ in pairs:
        reached |= {other for pair in pairs if pair & reached for other in pair}
    return len(reached) > 1 and not reached & set(names_of(join.get("larg")))
