"""Facts about divisions and sums of queries, in any dialect."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from wardround_sql.document import SqlDocument
from wardround_sql.parsing.sqlglot_trees import SqlTree, trees
from wardround_sql.queries.aggregation import AggregationShape

_TRUNCATES = frozenset({"postgres", "tsql", "sqlite", "redshift", "trino", "presto", "athena"})
"""Dialects in which the quotient of two integers is an integer."""
_FAILS = frozenset(
    {"postgres", "bigquery", "snowflake", "redshift", "tsql", "oracle", "trino", "presto", "athena"}
)
"""Dialects in which a division by zero raises an error."""


def _divisions(script: SqlDocument) -> Iterator[tuple[SqlTree, exp.Div]]:
    for tree in trees(script):
        for div in tree.expression.find_all(exp.Div):
            if not isinstance(div.parent, exp.IntDiv):
                yield tree, div


def truncating_quotients(script: SqlDocument) -> Iterator[AggregationShape]:
    """Yield quotients of two counts in dialects with integer division."""
    if script.dialect not in _TRUNCATES:
        return
    for tree, item in _divisions(script):
        if _is_count(item.this) and _is_count(item.expression) and not _is_rounded(item):
            yield AggregationShape(
                tree.span(item), _expression_text(item), tree.note, "share" if is_share(item) else ""
            )


def _is_count(node: exp.Expr) -> bool:
    """Return True if a node is certainly an integer count."""
    node = _bare(node)
    if isinstance(node, (exp.Count, exp.CountIf)):
        return True
    if isinstance(node, (exp.Window, exp.Filter, exp.Nullif, exp.Coalesce)):
        return _is_count(node.this)
    if isinstance(node, exp.Sum):
        return _is_integer_sum(node.this)
    if isinstance(node, exp.Mul):
        return all(_is_count(part) or _is_number(part) for part in (node.this, node.expression))
    return False


def is_share(item: exp.Div) -> bool:
    """Return True if nothing is multiplied first, so that the result is 0 or 1 instead of a percentage."""
    return not isinstance(_bare(item.this), exp.Mul)


def _is_integer_sum(node: exp.Expr) -> bool:
    """Return True if the summed values are ones and zeros."""
    node = _bare(node)
    if not isinstance(node, exp.Case):
        return isinstance(node, exp.Cast) and node.to.is_type("int", "bigint", "smallint")
    values = [branch.args.get("true") for branch in node.args.get("ifs") or []]
    return all(map(_is_number_or_null, [*values, node.args.get("default")]))


def _is_number_or_null(value: exp.Expr | None) -> bool:
    return value is None or isinstance(value, exp.Null) or _is_number(value)


def _is_number(node: exp.Expr) -> bool:
    node = _bare(node)
    return isinstance(node, exp.Literal) and node.is_int


def _bare(node: exp.Expr) -> exp.Expr:
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def _is_rounded(item: exp.Div) -> bool:
    """Return True if the integer part is intended: a number of pages, or a division with a remainder."""
    return isinstance(item.parent, (exp.Mod, exp.Floor))


def unguarded_quotients(script: SqlDocument) -> Iterator[AggregationShape]:
    """Yield divisions by a sum or a count that may be zero, where that raises an error."""
    if script.dialect not in _FAILS:
        return
    for tree, item in _divisions(script):
        divisor = _bare(item.expression)
        total = divisor.this if isinstance(divisor, (exp.Window, exp.Filter, exp.Cast)) else divisor
        filtered = isinstance(divisor, exp.Filter)
        if not _may_be_zero(total, filtered=filtered) or item.args.get("safe"):
            continue
        if not _is_tested(item, total):
            yield AggregationShape(
                tree.span(item), _expression_text(item), tree.note, divisor.sql(script.dialect)[:60]
            )


def _may_be_zero(total: exp.Expr, *, filtered: bool) -> bool:
    """Return True if a node is a sum or a count of some rows; a group has at least one row."""
    if isinstance(total, (exp.Sum, exp.CountIf)):
        return True
    return isinstance(total, exp.Count) and (filtered or isinstance(total.this, exp.Case))


def _is_tested(item: exp.Div, total: exp.Expr) -> bool:
    """Return True if CASE, IF or HAVING tests the divisor first."""
    above = item.parent
    while above is not None and not isinstance(above, exp.Select):
        if isinstance(above, (exp.Case, exp.If)) or type(above).__name__.startswith("Safe"):
            return True
        above = above.parent
    having = above.args.get("having") if isinstance(above, exp.Select) else None
    return isinstance(having, exp.Having) and any(node == total for node in having.find_all(type(total)))


def _expression_text(item: exp.Div) -> str:
    return " ".join(item.sql().split())[:60]


def sums_of_unions(script: SqlDocument) -> Iterator[AggregationShape]:
    """Yield sums over a UNION, which removes duplicate rows."""
    for tree in trees(script):
        named = {cte.alias: cte.this for cte in tree.expression.find_all(exp.CTE)}
        for select in tree.expression.find_all(exp.Select):
            if not _selects_from_union(select, named):
                continue
            for target in select.expressions:
                total = target.find(exp.Sum)
                if total is not None and total.find_ancestor(exp.Select) is select:
                    yield AggregationShape(tree.span(total), total.sql()[:60], tree.note)
                    break


def _selects_from_union(select: exp.Select, named: dict[str, exp.Expr]) -> bool:
    """Return True if FROM is a UNION without ALL, directly or by a name of WITH."""
    source = select.args.get("from_") or select.args.get("from")
    query = source.this if isinstance(source, exp.From) else None
    if isinstance(query, exp.Subquery):
        query = query.this
    elif isinstance(query, exp.Table):
        query = named.get(query.name)
    if not isinstance(query, exp.Union) or isinstance(query, (exp.Except, exp.Intersect)):
        return False
    return bool(query.args.get("distinct"))
