"""Facts about values of a query: window frames, sums of distinct values, sums with nullable terms."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from wardround_sql.document import SqlDocument
from wardround_sql.parsing.sqlglot_trees import trees
from wardround_sql.queries.aggregation import AggregationShape


def unframed(script: SqlDocument) -> Iterator[AggregationShape]:
    """Yield ``last_value`` over an ordered window whose default frame ends at the current row."""
    if script.dialect == "snowflake" or "snowflake" in script.path.lower():
        return  # such a window extends to its end there
    for tree in trees(script):
        for window in tree.expression.find_all(exp.Window):
            value = window.this.this if isinstance(window.this, exp.IgnoreNulls) else window.this
            if not isinstance(value, exp.LastValue):
                continue
            order, spec = _window(window)
            if order is not None and spec is None:
                yield AggregationShape(tree.span(value), "last_value", tree.note)


def _window(window: exp.Window) -> tuple[exp.Expr | None, exp.Expr | None]:
    """Return order and frame of a window, including those of the window it names."""
    order, spec = window.args.get("order"), window.args.get("spec")
    name = window.alias
    select = window.find_ancestor(exp.Select)
    for node in select.args.get("windows") or [] if name and select is not None else ():
        if node.name == name or node.this.name == name:
            order, spec = order or node.args.get("order"), spec or node.args.get("spec")
    return order, spec


def distinct_sums(script: SqlDocument) -> Iterator[AggregationShape]:
    """Yield ``sum(DISTINCT x)`` and ``avg(DISTINCT x)``, which count equal amounts once."""
    for tree in trees(script):
        for total in tree.expression.find_all(exp.Sum, exp.Avg):
            inside = total.this
            if isinstance(inside, exp.Distinct) and inside.expressions:
                text = "avg" if isinstance(total, exp.Avg) else "sum"
                yield AggregationShape(tree.span(inside), text, tree.note, inside.expressions[0].sql())


_ARITHMETIC = (exp.Add, exp.Sub)
"""A ratio without a value is rarely intended to be 0; a sum continues without one of its terms."""


def missing_terms(script: SqlDocument) -> Iterator[AggregationShape]:
    """Yield sums of a bare column of a LEFT JOIN and a term that is never NULL."""
    for tree in trees(script):
        for select in tree.expression.find_all(exp.Select):
            totals = _left_totals(select)
            for whole in _sums(select) if totals else ():
                terms = list(_terms(whole))
                bare = [t for t in terms if isinstance(t, exp.Column) and t.table in totals]
                if bare and len(bare) < len(terms):
                    yield AggregationShape(tree.span(bare[0]), bare[0].sql(), tree.note, bare[0].table)


def _left_totals(select: exp.Select) -> set[str]:
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
