"""Sums over rows that a second join multiplies."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from wardround.checks.lazy import LazyPattern
from wardround.findings import Span
from wardround_sql.document import SqlDocument
from wardround_sql.queries.aggregation import AggregationShape, columns_of, is_within, queries

_LEAVES_MANY = LazyPattern(
    r"(?i)^(?:.*_)?(?:status|state|active|enabled|deleted|archived|cancell?ed|approved|paid|visible|published|hidden)$|"
    r"^(?:tenant|org|organi[sz]ation|account|company|workspace|shop|store|team)_id$"
)
"""Columns that match several rows, whatever they are equal to."""


class Repeated(AggregationShape, frozen=True, kw_only=True):
    """Sum, and the location of the join that multiplies its rows."""

    join: Span


def multiplied_sums(script: SqlDocument) -> Iterator[Repeated]:
    """Yield sums over rows that a second join multiplies."""
    for tree, query in queries(script):
        many = _many(query.select, query.joins)
        for total in query.select.find_all(*_TOTALS) if many and query.first is not None else ():
            owner = _summed_table(total, query.select)
            others = _repeating(owner, many, is_sum=isinstance(total, exp.Sum)) if owner is not None else []
            if owner is not None and others:
                join = next(item for item in query.joins if item.this.alias_or_name == others[-1])
                yield Repeated(tree.span(total.this), owner, tree.note, others[-1], join=tree.span(join.this))
                break


_TOTALS = (exp.Sum, exp.Avg, exp.Count)


def _summed_table(total: exp.Expr, select: exp.Select) -> str | None:
    """Return the only table that an aggregate is about; None if there is none or several."""
    inside = total.this
    if not is_within(total, select) or isinstance(inside, (exp.Star, exp.Distinct, exp.Literal)):
        return None
    if isinstance(total.find_ancestor(exp.Window, exp.Select), exp.Window):
        return None
    owners = {column.table for column in columns_of(_counted(total), select)}
    return owners.pop() if len(owners) == 1 else None


def _counted(total: exp.Expr) -> exp.Expr:
    """Return an aggregate with its FILTER, if it has one."""
    return total.parent if isinstance(total.parent, exp.Filter) else total


def _repeating(owner: str, many: dict[str, str], *, is_sum: bool) -> list[str]:
    """Return the tables whose rows multiply those of another: joined to it, or to the same table."""
    adjacent = [name for name, parent in many.items() if name != owner and parent == many.get(owner)]
    below = [name for name, parent in many.items() if parent == owner and is_sum]
    return adjacent + below


def _is_one_each(select: exp.Select, source: exp.Expr) -> bool:
    """Return True if the joined object is a query of this statement with one row per key."""
    inside: exp.Expr | None = source.this if isinstance(source, exp.Subquery) else None
    if isinstance(source, exp.Table) and not source.db:
        root = select.root()
        defined = root.find_all(exp.CTE) if isinstance(root, exp.Expr) else ()
        inside = next((cte.this for cte in defined if cte.alias == source.name), None)
    if not isinstance(inside, exp.Select):
        return False
    distinct = inside.args.get("distinct")
    return inside.args.get("group") is not None or distinct is not None


def _many(select: exp.Select, joins: list[exp.Join]) -> dict[str, str]:
    """Return the tables with several rows per row of another, each with that other table."""
    result: dict[str, str] = {}
    for join in joins:
        if not isinstance(join.this, exp.Table) or _is_one_each(select, join.this):
            continue
        on, name = join.args.get("on"), join.this.alias_or_name
        pairs = list(_equal(on, name)) if isinstance(on, exp.Expr) else list(_using(join, select))
        parent = _parent(pairs, join.this.name)
        if parent is not None:
            result[name] = parent
    return result


def _parent(pairs: list[tuple[exp.Column, exp.Expr]], table: str) -> str | None:
    """Return the table whose key a join equates, unless another equation leaves one row."""
    keys = [
        (own, other)
        for own, other in pairs
        if isinstance(other, exp.Column) and _is_key(own, other) and not _is_its_own(own, table)
    ]
    keys.sort(key=lambda pair: bool(_LEAVES_MANY.search(pair[0].name)))
    if not keys:
        return None
    rest = [own for own, _other in pairs if own is not keys[0][0]]
    return keys[0][1].table if all(_LEAVES_MANY.search(own.name) for own in rest) else None


def _is_key(mine: exp.Column, other: exp.Column) -> bool:
    """Return True if a column references the key of another table."""
    return mine.name != "id" and mine.name.endswith("_id") and other.name in ("id", mine.name)


def _is_its_own(key: exp.Column, table: str) -> bool:
    """Return True if a column is the key of its own table by its name: ``order_id`` of ``orders``."""
    stem, plain = key.name.lower().removesuffix("_id"), table.lower()
    return plain.removeprefix("stg_").removesuffix("s") == stem.removesuffix("s")


def _equal(on: exp.Expr, name: str) -> Iterator[tuple[exp.Column, exp.Expr]]:
    """Yield the columns of a table that a condition equates with something, and with what."""
    for equal in on.find_all(exp.EQ):
        for own, other in ((equal.left, equal.right), (equal.right, equal.left)):
            if isinstance(own, exp.Column) and own.table == name:
                yield own, other
                break


def _using(join: exp.Join, select: exp.Select) -> Iterator[tuple[exp.Column, exp.Expr]]:
    """Yield the same for USING, where the first table is the one that the column is named after."""
    first = select.args.get("from_") or select.args.get("from")
    table = first.this if isinstance(first, exp.From) else None
    for node in join.args.get("using") or []:
        stem = node.name.removesuffix("_id").lower()[:4]
        if (
            isinstance(table, exp.Table)
            and table.name.lower().startswith(stem)
            and not join.this.name.lower().startswith(stem)
        ):
            yield exp.column(node.name, join.this.alias_or_name), exp.column(node.name, table.alias_or_name)
