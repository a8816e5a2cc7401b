"""Facts about groups, counts and outer joins of queries, in any dialect."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from sqlglot import exp

from wardround.checks.lazy import LazyPattern
from wardround.findings import Span
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
        """Right tables of LEFT JOINs, by their alias."""
        return {
            join.this.alias_or_name: join
            for join in self.joins
            if join.side == "LEFT" and not join.args.get("method")
        }

    @property
    def group(self) -> list[exp.Expr]:
        """Expressions of GROUP BY, with ordinals and aliases resolved."""
        result = self.select.args.get("group")
        arguments = list(result.expressions) if isinstance(result, exp.Group) else []
        targets = self.select.expressions
        aliases = {target.alias: target.unalias() for target in targets if isinstance(target, exp.Alias)}
        out = []
        for written in arguments:
            item = written
            if isinstance(item, exp.Literal) and item.is_int and 0 < int(item.name) <= len(targets):
                item = targets[int(item.name) - 1].unalias()
            elif (
                isinstance(item, exp.Column)
                and not item.table
                and isinstance(aliases.get(item.name), exp.Column)
            ):
                item = aliases[item.name]
            out.append(item)
        return out

    @property
    def is_plainly_grouped(self) -> bool:
        """Return True if GROUP BY has only columns, each by name."""
        result = self.select.args.get("group")
        parts = result.args if isinstance(result, exp.Group) else {}
        more = any(value for key, value in parts.items() if key != "expressions")
        return bool(self.group) and not more and all(isinstance(item, exp.Column) for item in self.group)


def queries(script: SqlDocument) -> Iterator[tuple[SqlTree, _Query]]:
    for tree in trees(script):
        for select in tree.expression.find_all(exp.Select):
            yield tree, _Query(select)


def is_within(node: exp.Expr, select: exp.Select) -> bool:
    """Return True if a node belongs to a query itself, not to a nested one."""
    return node.find_ancestor(exp.Select) is select


def columns_of(node: exp.Expr | None, select: exp.Select) -> list[exp.Column]:
    if node is None:
        return []
    return [column for column in node.find_all(exp.Column) if is_within(column, select)]


def counts_of_none(script: SqlDocument) -> Iterator[AggregationShape]:
    """Yield each ``count(*)`` over a LEFT JOIN, which is 1 for a group without a match."""
    for tree, query in queries(script):
        outer = query.outer
        if not outer or not query.group or any(join.side in ("RIGHT", "FULL") for join in query.joins):
            continue
        select = query.select
        about = [
            *query.group,
            select.args.get("where"),
            *(j.args.get("on") for j in query.joins if j.side != "LEFT"),
        ]
        used = {column.table for part in about for column in columns_of(part, select)}
        if not any(_is_many_side(join, name, query.group) for name, join in outer.items()):
            continue
        bare = any(not column.table for item in query.group for column in columns_of(item, select))
        if bare or used & set(outer) or not used - {""}:
            continue
        for count in select.find_all(exp.Count):
            in_target = any(
                count is expression or count in expression.find_all(exp.Count)
                for expression in select.expressions
            )
            of_rows = isinstance(count.this, (exp.Star, exp.Literal))
            if (
                of_rows
                and in_target
                and is_within(count, select)
                and not isinstance(count.parent, (exp.Window, exp.Filter))
            ):
                yield AggregationShape(
                    tree.span_at(_word(tree, count, "count")), next(iter(outer)), tree.note
                )
                break


def _is_many_side(join: exp.Join, name: str, group: list[exp.Expr]) -> bool:
    """Return True if a join adds many rows per group: its table references the key of the grouped table."""
    on = join.args.get("on")
    grouped = {(item.table, item.name) for item in group if isinstance(item, exp.Column)}
    for equal in on.find_all(exp.EQ) if isinstance(on, exp.Expr) else ():
        operands = [entry for entry in (equal.left, equal.right) if isinstance(entry, exp.Column)]
        own = [side for side in operands if side.table == name]
        other = [side for side in operands if side.table != name]
        if not own or not other or own[0].name == "id":
            continue
        is_key = other[0].name in ("id", "uuid", "pk") and other[0].table in {
            table for table, _name in grouped
        }
        if is_key or (other[0].table, other[0].name) in grouped:
            return True
    return False


def _word(tree: SqlTree, node: exp.Expr, word: str) -> int:
    """Return the location of a word of the text before or at a node without a location of its own."""
    start = node.meta.get("start")
    if isinstance(start, int):
        return start
    lowered = tree.statement.text.lower()
    after = next((item.meta["start"] for item in _later(node) if "start" in item.meta), len(lowered))
    result = lowered.rfind(word, 0, after)
    return max(result, 0)


def _later(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the nodes after a node, nearest first: its alias, then its successors."""
    parent = node.parent
    while parent is not None:
        alias = parent.args.get("alias")
        if isinstance(alias, exp.Expr):
            yield from alias.walk()
        if isinstance(parent, exp.Select):
            return
        parent = parent.parent


def ungrouped(script: SqlDocument) -> Iterator[AggregationShape]:
    """Yield columns next to aggregates that are neither grouped nor functionally dependent on the group."""
    for tree, query in queries(script):
        if not query.is_plainly_grouped or not all(
            isinstance(t, (exp.Table, exp.Subquery)) for t in query.tables
        ):
            continue
        grouped = [entry for entry in query.group if isinstance(entry, exp.Column)]
        select = query.select
        aliases = {
            expression.alias: expression.unalias()
            for expression in select.expressions
            if isinstance(expression, exp.Alias)
        }
        whole = {_key(item) for item in grouped} | {
            _key(inside)
            for item in grouped
            if not item.table and isinstance(inside := aliases.get(item.name), exp.Column)
        }
        names = {item.name.lower() for item in grouped}
        having = select.args.get("having")
        if script.dialect == "sqlite" and any(select.find_all(exp.Max, exp.Min)) and having is None:
            continue  # the other columns come from the row with the minimum or maximum there
        parts = [*select.expressions, *([having] if having is not None else [])]
        for part in parts:
            if part.alias.lower() in names:
                continue
            column = next(
                (
                    c
                    for c in columns_of(part, select)
                    if _is_undetermined(c, query, whole, names, aliases, tree.is_postgres)
                ),
                None,
            )
            if column is not None:
                where = "HAVING" if part is having else "the columns"
                yield AggregationShape(tree.span(column), column.sql(), tree.note, where)


def _key(column: exp.Column) -> tuple[str, str]:
    return column.table.lower(), column.name.lower()


def _is_undetermined(
    column: exp.Column,
    query: _Query,
    whole: set[tuple[str, str]],
    names: set[str],
    aliases: dict[str, exp.Expr],
    postgres: bool,
) -> bool:
    """Return True if a column is outside aggregates, and not determined by the group."""
    select = query.select
    if column.is_star or isinstance(column.this, exp.Star):
        return False
    if FILLED.match(column.name) or FILLED.match(column.table):
        return False
    holder = column.find_ancestor(
        exp.AggFunc,
        exp.Window,
        exp.Select,
        exp.Anonymous,
        exp.AnonymousAggFunc,
        exp.Lambda,
        exp.Filter,
        exp.WithinGroup,
    )
    if holder is not select:
        return False
    if column.name.lower() in names and (
        not column.table or any(not table for table, _n in whole) or _key(column) in whole
    ):
        return False
    if column.table and column.table not in query.names:
        return False  # of the enclosing query
    if not column.table and (len(query.tables) > 1 or column.name in aliases):
        return False
    own = column.table or query.names[0]
    keys = {name for table, name in whole if table in (own.lower(), "")}
    table = next((t for t in query.tables if t.alias_or_name == own), None)
    text = table.name.lower() if isinstance(table, exp.Table) else ""
    if postgres and any(name.endswith(("id", "key", "code", "name", "pk")) for name in keys):
        return False  # the database rejects the query unless that is the table's key
    return not any(_is_key(name, text) for name in keys) and not _is_equal_to_grouped(column, query, names)


def _is_key(name: str, table: str) -> bool:
    """Return True if a column is probably a key of its table."""
    return (
        name in ("id", "uuid", "pk", "key", "guid", "rowid")
        or (
            name.endswith("id")
            and bool(table)
            and name.removesuffix("id").strip("_")[:3] == table.rsplit("_", 1)[-1][:3]
        )
        or (name.endswith("_id") and table.startswith(name.removesuffix("_id")[:4]))
    )


def _is_equal_to_grouped(column: exp.Column, query: _Query, names: set[str]) -> bool:
    """Return True if a join equates the column, or its table's key, with a grouped column."""
    for join in query.joins:
        on = join.args.get("on")
        for equal in on.find_all(exp.EQ) if isinstance(on, exp.Expr) else ():
            operands = [equal.left, equal.right]
            own = [s for s in operands if isinstance(s, exp.Column) and s.table == column.table]
            other = [s for s in operands if isinstance(s, exp.Column) and s.table != column.table]
            key = own and (
                own[0].name == column.name
                or _is_key(own[0].name.lower(), own[0].table.lower())
                or own[0].name == "id"
            )
            if key and other and other[0].name.lower() in names:
                return True
    return bool(column.table) and any(join.args.get("using") for join in query.joins)


_COMPARES = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Like, exp.ILike, exp.In, exp.Between)
_CHANGES = (exp.Lower, exp.Upper, exp.Trim, exp.Cast, exp.Date, exp.TimestampTrunc, exp.DateTrunc, exp.Abs)


def _compared(part: exp.Expr) -> exp.Column | None:
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
        outer, where = query.outer, query.select.args.get("where")
        if not outer or not isinstance(where, exp.Where):
            continue
        if isinstance(query.select.parent, exp.Exists):
            continue  # only the existence of the row matters, and the condition determines it
        later = {
            c.table
            for join in query.joins
            if join.side != "LEFT"
            for c in columns_of(join.args.get("on"), query.select)
        }
        for part in where.this.flatten() if isinstance(where.this, exp.And) else [where.this]:
            left = _compared(part)
            if left is not None and left.table in outer and left.table not in later:
                others = {c.table for c in columns_of(part, query.select)} - {left.table, ""}
                if not others:
                    yield AggregationShape(tree.span(left), left.table, tree.note, left.sql())
                    break
