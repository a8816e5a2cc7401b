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
        group = self.select.args.get("group")
        targets = self.select.expressions
        aliases = {target.alias: target.unalias() for target in targets if isinstance(target, exp.Alias)}
        written = list(group.expressions) if isinstance(group, exp.Group) else []
        return [_resolved(item, targets, aliases) for item in written]

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


def _resolved(item: exp.Expr, targets: list[exp.Expr], aliases: dict[str, exp.Expr]) -> exp.Expr:
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


def counts_of_none(script: SqlDocument) -> Iterator[AggregationShape]:
    """Yield each ``count(*)`` over a LEFT JOIN, which is 1 for a group without a match."""
    for tree, query in queries(script):
        if not _groups_by_left_table(query):
            continue
        count = next(
            (node for node in query.select.find_all(exp.Count) if _counts_rows(node, query.select)), None
        )
        if count is not None:
            yield AggregationShape(
                tree.span_at(_word(tree, count, "count")), next(iter(query.outer)), tree.note
            )


def _groups_by_left_table(query: _Query) -> bool:
    """Return True if a group has one row of the left table, and any number of the right one's."""
    outer, group = query.outer, query.group
    if not outer or not group or any(join.side in ("RIGHT", "FULL") for join in query.joins):
        return False
    if not any(_is_many_side(join, name, group) for name, join in outer.items()):
        return False
    if any(not column.table for item in group for column in columns_of(item, query.select)):
        return False
    conditions = [join.args.get("on") for join in query.joins if join.side != "LEFT"]
    parts = [*group, query.select.args.get("where"), *conditions]
    used = {column.table for part in parts for column in columns_of(part, query.select)}
    return used.isdisjoint(outer) and bool(used - {""})


def _counts_rows(count: exp.Count, select: exp.Select) -> bool:
    """Return True if a ``count(*)`` is in the select list, and not filtered or over a window."""
    if not isinstance(count.this, (exp.Star, exp.Literal)) or not is_within(count, select):
        return False
    if isinstance(count.parent, (exp.Window, exp.Filter)):
        return False
    return any(count is target or count in target.find_all(exp.Count) for target in select.expressions)


def _is_many_side(join: exp.Join, name: str, group: list[exp.Expr]) -> bool:
    """Return True if a join adds many rows per group: its table references the key of the grouped table."""
    on = join.args.get("on")
    grouped = {(item.table, item.name) for item in group if isinstance(item, exp.Column)}
    grouped |= {(table, key) for table, _name in grouped for key in ("id", "uuid", "pk")}
    for equal in on.find_all(exp.EQ) if isinstance(on, exp.Expr) else ():
        own, other = _sides(equal, name)
        if own is None or other is None or own.name == "id":
            continue
        if (other.table, other.name) in grouped:
            return True
    return False


def _sides(equal: exp.EQ, table: str) -> tuple[exp.Column | None, exp.Column | None]:
    """Return the column of a table in an equation, and the column of another table."""
    columns = [side for side in (equal.left, equal.right) if isinstance(side, exp.Column)]
    own = next((column for column in columns if column.table == table), None)
    return own, next((column for column in columns if column.table != table), None)


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
        select = query.select
        is_readable = all(isinstance(table, (exp.Table, exp.Subquery)) for table in query.tables)
        if not query.is_plainly_grouped or not is_readable or _takes_extreme_row(script, select):
            continue
        grouping = _Grouping.of(query, is_postgres=tree.is_postgres)
        having = select.args.get("having")
        for part in [*select.expressions, *([having] if having is not None else [])]:
            columns = () if part.alias.lower() in grouping.names else columns_of(part, select)
            column = next((item for item in columns if _is_undetermined(item, query, grouping)), None)
            if column is not None:
                where = "HAVING" if part is having else "the columns"
                yield AggregationShape(tree.span(column), column.sql(), tree.note, where)


def _takes_extreme_row(script: SqlDocument, select: exp.Select) -> bool:
    """Return True if SQLite takes the other columns from the row with the minimum or maximum."""
    if script.dialect != "sqlite" or select.args.get("having") is not None:
        return False
    return any(True for _ in select.find_all(exp.Max, exp.Min))


class _Grouping(Struct, frozen=True):
    """Grouped columns of a query: with their tables, by name, and the aliases of its select list."""

    keys: frozenset[tuple[str, str]]
    names: frozenset[str]
    aliases: dict[str, exp.Expr]
    is_postgres: bool

    @classmethod
    def of(cls, query: _Query, *, is_postgres: bool) -> _Grouping:
        targets = query.select.expressions
        aliases = {target.alias: target.unalias() for target in targets if isinstance(target, exp.Alias)}
        columns = [item for item in query.group if isinstance(item, exp.Column)]
        aliased = [aliases.get(column.name) for column in columns if not column.table]
        keys = {_key(column) for column in (*columns, *aliased) if isinstance(column, exp.Column)}
        names = frozenset(column.name.lower() for column in columns)
        return cls(frozenset(keys), names, aliases, is_postgres)

    def includes(self, column: exp.Column) -> bool:
        """Return True if the column itself is grouped."""
        if column.name.lower() not in self.names:
            return False
        return not column.table or any(not table for table, _ in self.keys) or _key(column) in self.keys

    def determines(self, table: str, name: str) -> bool:
        """Return True if a grouped column is a key of a table, or PostgreSQL would reject the query."""
        columns = {column for owner, column in self.keys if owner in (table.lower(), "")}
        if self.is_postgres and any(column.endswith(_KEY_ENDINGS) for column in columns):
            return True
        return any(_is_key(column, name) for column in columns)


_KEY_ENDINGS = ("id", "key", "code", "name", "pk")


def _key(column: exp.Column) -> tuple[str, str]:
    return column.table.lower(), column.name.lower()


def _is_undetermined(column: exp.Column, query: _Query, grouping: _Grouping) -> bool:
    """Return True if a column is outside aggregates, and not determined by the group."""
    if _is_uncertain(column) or column.find_ancestor(*_HOLDERS) is not query.select:
        return False
    if grouping.includes(column):
        return False
    if column.table and column.table not in query.names:
        return False  # of the enclosing query
    if not column.table and (len(query.tables) > 1 or column.name in grouping.aliases):
        return False
    own = column.table or query.names[0]
    table = next((item for item in query.tables if item.alias_or_name == own), None)
    name = table.name.lower() if isinstance(table, exp.Table) else ""
    return not grouping.determines(own, name) and not _is_equal_to_grouped(column, query, set(grouping.names))


_HOLDERS = (
    exp.AggFunc,
    exp.Window,
    exp.Select,
    exp.Anonymous,
    exp.AnonymousAggFunc,
    exp.Lambda,
    exp.Filter,
    exp.WithinGroup,
)


def _is_uncertain(column: exp.Column) -> bool:
    """Return True for a star, and for a hole of a template."""
    if column.is_star or isinstance(column.this, exp.Star):
        return True
    return bool(FILLED.match(column.name) or FILLED.match(column.table))


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
            own, other = _sides(equal, column.table)
            if own is None or other is None or other.name.lower() not in names:
                continue
            if own.name in (column.name, "id") or _is_key(own.name.lower(), own.table.lower()):
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
        candidates = set(outer) - _inner_joined(query)
        for part in where.this.flatten() if isinstance(where.this, exp.And) else [where.this]:
            left = _compared(part)
            if left is not None and left.table in candidates:
                others = {column.table for column in columns_of(part, query.select)} - {left.table, ""}
                if not others:
                    yield AggregationShape(tree.span(left), left.table, tree.note, left.sql())
                    break


def _inner_joined(query: _Query) -> set[str]:
    """Return the tables in conditions of joins other than LEFT JOIN."""
    conditions = [join.args.get("on") for join in query.joins if join.side != "LEFT"]
    return {column.table for on in conditions for column in columns_of(on, query.select)}
