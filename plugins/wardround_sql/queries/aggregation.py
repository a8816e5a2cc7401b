"""Facts about groups, counts and outer joins of queries, in any dialect."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from sqlglot import exp

from wardround.findings import Span
from wardround.lazy import LazyPattern
from wardround_sql.document import SqlDocument
from wardround_sql.parsing.sqlglot_trees import SqlTree, trees

FILLED = LazyPattern(r"jx{3,}$")
"""Replacement of a template's hole."""


class AggregationShape(Struct, frozen=True):
    """Fact about one location of a query; ``subject`` is the column or table concerned."""

    span: Span
    subject: str
    note: str
    detail: str = ""


class _Query:
    """One SELECT: its tables and their joins."""

    def __init__(self, select: exp.Select) -> None:
        self.select = select
        first = select.args.get("from_") or select.args.get("from")
        self.first = first.this if isinstance(first, exp.From) else None
        self.joins: list[exp.Join] = list(select.args.get("joins") or [])
        self.tables = [item for item in (self.first, *(join.this for join in self.joins)) if item is not None]
        self.names = [table.alias_or_name for table in self.tables]

    @property
    def outer(self) -> dict[str, exp.Join]:
        """Right tables of LEFT JOINs, by alias."""
        return {
            join.this.alias_or_name: join
            for join in self.joins
            if join.side == "LEFT" and not join.args.get("method")
        }

    @property
    def group(self) -> list[exp.Expr]:
        """Expressions of GROUP BY, with ordinals and aliases resolved."""
        group = self.select.args.get("group")
        targets = self.select.expressions
        aliases = {target.alias: target.unalias() for target in targets if isinstance(target, exp.Alias)}
        written = list(group.expressions) if isinstance(group, exp.Group) else []
        return [_resolve_item(item, targets, aliases) for item in written]


def queries(script: SqlDocument) -> Iterator[tuple[SqlTree, _Query]]:
    for tree in trees(script):
        for select in tree.expression.find_all(exp.Select):
            yield tree, _Query(select)


def _resolve_item(item: exp.Expr, targets: list[exp.Expr], aliases: dict[str, exp.Expr]) -> exp.Expr:
    """Return the expression that an ordinal or alias in GROUP BY refers to, else the item itself."""
    if isinstance(item, exp.Literal) and item.is_int and 0 < int(item.name) <= len(targets):
        return targets[int(item.name) - 1].unalias()
    aliased = aliases.get(item.name)
    if isinstance(item, exp.Column) and not item.table and isinstance(aliased, exp.Column):
        return aliased
    return item


def is_within(node: exp.Expr, select: exp.Select) -> bool:
    """Return True if a node belongs to a query itself, not to a nested one."""
    return node.find_ancestor(exp.Select) is select


def columns_of(node: exp.Expr | None, select: exp.Select) -> list[exp.Column]:
    if node is None:
        return []
    return [column for column in node.find_all(exp.Column) if is_within(column, select)]


_COMPARES = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Like, exp.ILike, exp.In, exp.Between)
_CHANGES = (exp.Lower, exp.Upper, exp.Trim, exp.Cast, exp.Date, exp.TimestampTrunc, exp.DateTrunc, exp.Abs)


def _compared_column(part: exp.Expr) -> exp.Column | None:
    """Return the column that a condition compares, so that it is not true if the column is NULL."""
    if isinstance(part, exp.Not) and isinstance(part.this, (exp.Column, exp.In, exp.Like, exp.ILike)):
        part = part.this
    if isinstance(part, exp.Column):
        return part
    operands = [part.this, part.args.get("expression")] if isinstance(part, _COMPARES) else []
    for side in operands:
        inside = side
        while isinstance(inside, (*_CHANGES, exp.Paren)):
            inside = inside.this
        if isinstance(inside, exp.Column):
            return inside
    return None


def undone_outer_joins(script: SqlDocument) -> Iterator[AggregationShape]:
    """Yield WHERE comparisons of a LEFT JOIN's right table, which remove the rows without a match."""
    for tree, query in queries(script):
        where = query.select.args.get("where")
        if not query.outer or not isinstance(where, exp.Where):
            continue
        if isinstance(query.select.parent, exp.Exists):
            continue  # only the existence of the row matters, and the condition determines it
        column = _undoing_column(query, where.this)
        if column is not None:
            yield AggregationShape(tree.span(column), column.table, tree.note, column.sql())


def _undoing_column(query: _Query, condition: exp.Expr) -> exp.Column | None:
    """Return the first column of a LEFT JOIN's right table that is compared without a column of another
    table.
    """
    right_tables = set(query.outer) - _inner_join_tables(query)
    for part in condition.flatten() if isinstance(condition, exp.And) else [condition]:
        column = _compared_column(part)
        if column is None or column.table not in right_tables:
            continue
        tables = {other.table for other in columns_of(part, query.select)}
        if tables <= {column.table, ""}:
            return column
    return None


def _inner_join_tables(query: _Query) -> set[str]:
    """Return the tables in conditions of joins other than LEFT JOIN."""
    conditions = [join.args.get("on") for join in query.joins if join.side != "LEFT"]
    return {column.table for on in conditions for column in columns_of(on, query.select)}
