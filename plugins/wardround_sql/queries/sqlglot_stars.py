"""Stars of a query in sqlglot's tree that select the columns of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp


_DEEPEST = 12
"""Nesting depth of queries through which a star is followed; a deeper one is considered harmless."""


def selects_all_columns(query: object, outer: Mapping[str, object], depth: int = 0) -> bool:
    """Return True if a star includes all columns of a table, also through subqueries and WITH.

    Args:
        outer: queries of WITH in the enclosing queries, by name.
    """
    if depth > _DEEPEST:
        return False
    from sqlglot import exp

    match query:
        case exp.Subquery():
            return selects_all_columns(query.this, outer, depth + 1)
        case exp.SetOperation():
            known = {**outer, **{cte.alias: cte.this for cte in query.ctes}}
            operands = (query.this, query.expression)
            return any(selects_all_columns(operand, known, depth + 1) for operand in operands)
        case exp.Select():
            known = {**outer, **{cte.alias: cte.this for cte in query.ctes}}
            return any(_has_unnamed_columns(source, known, depth) for source in _sources_of_stars(query))
    return False


def _sources_of_stars(query: exp.Select) -> list[exp.Expr]:
    """Return the tables and subqueries whose columns a star selects."""
    stars = {_table_of(target) for target in query.expressions if target.is_star}
    first = query.args.get("from_") or query.args.get("from")
    sources = [first.this] if first is not None else []
    sources += [join.this for join in query.args.get("joins", ()) if join is not None]
    if "" in stars:
        return sources
    return [source for source in sources if source.alias_or_name in stars]


def _table_of(star: exp.Expr) -> str:
    """Return the table in ``t.*``; empty for a plain star."""
    from sqlglot import exp

    return star.table if isinstance(star, exp.Column) else ""


def _has_unnamed_columns(source: object, known: Mapping[str, object], depth: int) -> bool:
    """Return True for a table, or a query of WITH or FROM that selects all columns of one."""
    from sqlglot import exp

    if not isinstance(source, exp.Table):
        return selects_all_columns(source, known, depth + 1)
    if source.db or source.name not in known:
        return True
    return selects_all_columns(known[source.name], known, depth + 1)
