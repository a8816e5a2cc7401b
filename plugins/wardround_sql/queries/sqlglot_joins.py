"""Joined tables of a SELECT in sqlglot's tree, and the conditions that connect them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from sqlglot import exp


class _JoinedTables(NamedTuple):
    """Plain tables of a SELECT's FROM and joins, all of them."""

    tables: list[exp.Table]
    joins: list[exp.Join]

    @property
    def names(self) -> list[str]:
        return [table.alias_or_name for table in self.tables]


def joined_tables(select: exp.Select) -> _JoinedTables | None:
    """Return the tables of a SELECT with joins; None if one of them is not a plain table."""
    from sqlglot import exp

    first = select.args.get("from_") or select.args.get("from")
    joins = select.args.get("joins") or []
    if first is None or not joins or select.args.get("laterals"):
        return None
    tables = [first.this, *(join.this for join in joins)]
    for table in tables:
        if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
            return None
    return _JoinedTables(tables, joins)


def picks_rows(select: object, joins: list[Any], names: list[str]) -> bool:
    """Return True if conditions select the rows of every table by value, so that the product is intended."""
    from sqlglot import exp

    picked = set()
    for part in _parts(select, joins):
        value = part.expression if isinstance(part, exp.EQ) else None
        is_value = isinstance(part, exp.In) or (value is not None and not value.find(exp.Column))
        if is_value and isinstance(part.this, exp.Column):
            picked.add(part.this.table)
    return picked >= set(names)


def _parts(select: object, joins: list[Any]) -> Iterator[Any]:
    """Yield the conjuncts of WHERE and of the join conditions."""
    from sqlglot import exp

    where = select.args.get("where") if isinstance(select, exp.Select) else None
    conditions = [where.this] if isinstance(where, exp.Where) else []
    conditions += [join.args["on"] for join in joins if isinstance(join.args.get("on"), exp.Expression)]
    for condition in conditions:
        yield from condition.flatten() if isinstance(condition, exp.And) else [condition]


def connected_tables(select: object, joins: list[Any], names: set[str]) -> list[set[str]] | None:
    """Return the sets of tables that conjuncts connect; None if a column's table is unknown."""
    from sqlglot import exp

    result: list[set[str]] = []
    for part in _parts(select, joins):
        owners = {column.table for column in part.find_all(exp.Column)}
        if "" in owners or owners - names or part.find(exp.Placeholder) is part:
            return None
        result.append(owners & names)
    if any(join.args.get("using") or join.args.get("method") for join in joins):
        result.append(set(names))
    return result


def _is_connected(name: str, pairs: list[set[str]]) -> bool:
    """Return True if conditions connect a table with any other."""
    return any(name in pair and len(pair) > 1 for pair in pairs)


def is_loose(select: exp.Select, join: exp.Join, name: str, names: list[str], pairs: list[set[str]]) -> bool:
    """Return True if neither the condition of a join nor another condition connects its table."""
    from sqlglot import exp

    condition = join.args.get("on")
    if isinstance(condition, exp.Expression) and not isinstance(condition, exp.Boolean):
        if explicit_cross(join) or _is_connected(name, pairs):
            return False
        return _concerns_single_table(condition, names)
    if join.this.db == "" and join.this.name in _names_of_with(select):
        return False
    is_inner = join.kind == "INNER" or not _is_explicit(join)
    return is_inner and len(names) > 1 and not _is_connected(name, pairs)


def _is_explicit(join: exp.Join) -> bool:
    return any(join.args.get(key) for key in ("using", "kind", "side", "method"))


def _names_of_with(select: exp.Select) -> set[str]:
    """Return the names of all queries of WITH around and in a SELECT."""
    from sqlglot import exp

    root = select.root()
    return {cte.alias for cte in root.find_all(exp.CTE)} if isinstance(root, exp.Expression) else set()


def _concerns_single_table(condition: exp.Expression, names: list[str]) -> bool:
    """Return True if a condition concerns exactly one of the tables, without a subquery or OR."""
    from sqlglot import exp

    tables = {column.table for column in condition.find_all(exp.Column)}
    is_known = "" not in tables and tables <= set(names) and len(tables) == 1
    return is_known and not condition.find(exp.Select, exp.Or)


def explicit_cross(join: Any) -> bool:
    """Return True if a cross join is explicit."""
    return bool(join.kind == "CROSS" or join.args.get("method"))
