"""Facts about conditions, in any dialect: their comparisons and the operators that join them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from sqlglot import exp

from wardround_sql.document import SqlDocument
from wardround_sql.parsing.sqlglot_trees import SqlTree, trees
from wardround_sql.queries.aggregation import FILLED, AggregationShape


def conditions(script: SqlDocument) -> Iterator[tuple[SqlTree, exp.Expr]]:
    """Yield the conditions of WHERE, HAVING, ON and IF, each once, with their statement."""
    for tree in trees(script):
        for holder in tree.expression.find_all(exp.Where, exp.Having, exp.Join):
            result = holder.args.get("on") if isinstance(holder, exp.Join) else holder.this
            if isinstance(result, exp.Expr):
                yield tree, result


def loose_ors(script: SqlDocument) -> Iterator[AggregationShape]:
    """Yield ``a AND x = 1 OR x = 2`` without parentheses, if both operands of OR compare the same column."""
    for tree, condition in conditions(script):
        if not isinstance(condition, exp.Or):
            continue
        branches = list(condition.flatten(unnest=False))
        for before, after in pairwise(branches):
            if not isinstance(before, exp.And) or isinstance(after, (exp.And, exp.Paren)):
                continue
            parts = list(before.flatten(unnest=False))
            compared = _compared_column(after)
            if compared is not None and compared == _compared_column(parts[-1]) and len(parts) > 1:
                yield AggregationShape(tree.span(after), compared.sql(), tree.note, parts[0].sql()[:60])
                break


def _compared_column(part: exp.Expr) -> exp.Column | None:
    """Return the column that a part of a condition compares with something other than a column."""
    if isinstance(part, (exp.EQ, exp.Like, exp.ILike, exp.Is, exp.In, exp.NEQ)):
        right = part.args.get("expression")
        if isinstance(part.this, exp.Column) and not isinstance(right, exp.Column):
            return part.this
    return None


def compared_with_themselves(script: SqlDocument) -> Iterator[AggregationShape]:
    """Yield columns that a condition compares with themselves."""
    for tree, condition in conditions(script):
        for eq in condition.find_all(exp.EQ, exp.NEQ, exp.LT, exp.GT, exp.LTE, exp.GTE):
            left, right = eq.this, eq.expression
            both = isinstance(left, exp.Column) and isinstance(right, exp.Column) and left == right
            if both and not FILLED.search(left.name):
                yield AggregationShape(tree.span(eq), left.sql(), tree.note)


_INDEXED = frozenset({"postgres", "mysql", "tsql", "sqlite", "oracle"})
"""Dialects of databases with indexes."""
_DATES = (
    exp.Date,
    exp.TsOrDsToDate,
    exp.Year,
    exp.Month,
    exp.Day,
    exp.Extract,
    exp.DateTrunc,
    exp.TimestampTrunc,
)


def dates_of_columns(script: SqlDocument) -> Iterator[AggregationShape]:
    """Yield conditions on a part of a date, which cannot use an index on the column."""
    if script.is_template or script.dialect not in _INDEXED:
        return
    for tree, condition in conditions(script):
        if not isinstance(condition.parent, exp.Where):
            continue
        for eq in condition.find_all(exp.EQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In):
            column = _dated_column(eq.this)
            if column is not None and not isinstance(eq.args.get("expression"), (exp.Column, *_DATES)):
                yield AggregationShape(tree.span(eq), column.sql(), tree.note)


def _dated_column(node: object) -> exp.Column | None:
    """Return the column whose day, month or year is extracted."""
    inside = _extracted_from(node)
    while isinstance(inside, (exp.TsOrDsToDate, exp.Cast, exp.TsOrDsToTimestamp)):
        inside = inside.this
    return inside if isinstance(inside, exp.Column) else None


def _extracted_from(node: object) -> object:
    if isinstance(node, exp.Extract):
        return node.expression if str(node.this).upper() in ("YEAR", "MONTH", "DAY") else None
    if isinstance(node, exp.Cast):
        return node.this if node.to.is_type("date") else None
    if isinstance(node, exp.Convert):
        return node.expression if node.this.is_type("date") else None
    if isinstance(node, (exp.DateTrunc, exp.TimestampTrunc, *_DATES, exp.TimeToStr, exp.ToChar)):
        return node.this
    return None
