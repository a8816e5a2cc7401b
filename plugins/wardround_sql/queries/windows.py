"""Facts about values of a query: window frames, sums of distinct values, sums with nullable terms."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from wardround_sql.document import SqlDocument
from wardround_sql.parsing.sqlglot_trees import trees
from wardround_sql.queries.aggregation import AggregationShape

_ARITHMETIC = (exp.Add, exp.Sub)
"""A missing ratio is rarely intended to be 0; a sum is still valid without one of its terms."""


def missing_terms(script: SqlDocument) -> Iterator[AggregationShape]:
    """Yield sums of a bare column of a LEFT JOIN and a term that is never NULL."""
    for tree in trees(script):
        for select in tree.expression.find_all(exp.Select):
            totals = _left_joined_totals(select)
            if not totals:
                continue
            for total in _sums(select):
                column = _column_among_others(total, totals)
                if column is not None:
                    yield AggregationShape(tree.span(column), column.sql(), tree.note, column.table)


def _column_among_others(total: exp.Expr, tables: set[str]) -> exp.Column | None:
    """Return the first bare column of some tables in a sum that also has other terms."""
    terms = list(_terms(total))
    bare = [term for term in terms if isinstance(term, exp.Column) and term.table in tables]
    return bare[0] if bare and len(bare) < len(terms) else None


def _left_joined_totals(select: exp.Select) -> set[str]:
    """Return the names of grouped subqueries and WITH queries on the right of a LEFT JOIN."""
    grouped = {cte.alias for cte in select.root().find_all(exp.CTE) if _is_grouped(cte.this)}
    left = [join.this for join in select.args.get("joins") or [] if join.side == "LEFT"]
    return {source.alias_or_name for source in left if _is_total(source, grouped)}


def _is_total(source: object, grouped: set[str]) -> bool:
    if isinstance(source, exp.Subquery):
        return _is_grouped(source.this)
    return isinstance(source, exp.Table) and not source.db and source.name in grouped


def _is_grouped(query: exp.Expr) -> bool:
    return isinstance(query, exp.Select) and query.args.get("group") is not None


def _sums(select: exp.Select) -> Iterator[exp.Expr]:
    """Yield the outermost sums in the result of a query."""
    for target in select.expressions:
        for node in target.find_all(*_ARITHMETIC):
            outer = node.parent
            while isinstance(outer, exp.Paren):
                outer = outer.parent
            guarded = node.find_ancestor(exp.Coalesce, exp.Select, exp.Case, exp.If)
            if not isinstance(outer, _ARITHMETIC) and guarded is select:
                yield node


def _terms(node: exp.Expr) -> Iterator[exp.Expr]:
    if isinstance(node, exp.Paren):
        yield from _terms(node.this)
    elif isinstance(node, _ARITHMETIC):
        yield from _terms(node.this)
        yield from _terms(node.expression)
    else:
        yield node
