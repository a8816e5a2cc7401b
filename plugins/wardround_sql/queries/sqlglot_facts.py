"""Facts for dialects other than PostgreSQL, from sqlglot: fewer, and each names the dialect."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from wardround.checks.lazy import LazyPattern
from wardround.findings import Span
from wardround.storage.regex_cache import bounded
from wardround_sql.document import SqlDocument
from wardround_sql.queries.fact_types import (
    Added,
    CrossJoin,
    Exclusion,
    Granted,
    Limit,
    NullCompared,
    QueryFact,
    Removed,
    TypeChange,
    TypedColumn,
    ViewStar,
    Write,
)
from wardround_sql.schema.model import Name

if TYPE_CHECKING:
    from sqlglot import exp

    from wardround_sql.parsing.sqlglot_trees import SqlTree

_MEMO: WeakKeyDictionary[SqlDocument, list[QueryFact]] = WeakKeyDictionary()
_OFFSET = LazyPattern(r"\boffset\b|\blimit\b", re.IGNORECASE)
_GRANT = LazyPattern(
    r"(?is)grant\s+(?P<rights>[\w\s,()]+?)\s+on\s+.+?\bto\s+(?:role\s+)?(?P<who>public\b|['`\"]?\w*['`\"]?@['`\"]%['`\"])"
)
_RENAMED = LazyPattern(
    r"(?i)\bsp_rename\s+N?(?P<old>'[^']+')|^(?!\s*--)[^;]*?\bchange\s+(?:column\s+)?(?P<changed>`?\w+`?)\s+(?P<new>`?\w+`?)\s+\w",
)


def facts(script: SqlDocument) -> list[QueryFact]:
    """Return all facts of a file; statements that sqlglot cannot parse are skipped."""
    if script not in _MEMO:
        from wardround_sql.parsing.sqlglot_trees import trees

        _MEMO[script] = [fact for tree in trees(script) for fact in _Reader(tree).read()]
    return _MEMO[script]


class _Reader:
    """Tree of one statement."""

    def __init__(self, tree: SqlTree) -> None:
        self.tree = tree
        self.script = tree.script
        self.statement = tree.statement
        self.note = tree.note

    def read(self) -> Iterator[QueryFact]:
        from sqlglot import exp

        tree = self.tree.expression
        if isinstance(tree, (exp.Delete, exp.Update)):
            yield from self._write(tree)
        if isinstance(tree, exp.Create):
            yield from self._create(tree)
        if isinstance(tree, exp.Alter):
            yield from self._alter(tree)
            yield from self._removed(tree)
        yield from self._by_words()
        for negation in tree.find_all(exp.Not):
            yield from self._not_in(negation)
        if isinstance(tree, exp.Query):
            yield from self._limits(tree)
        for offset in tree.find_all(exp.Offset):
            if not isinstance(offset.expression, exp.Literal):
                words = list(_OFFSET.finditer(self.statement.text))
                yield Limit(self._span(words[-1].start() if words else None), self.note, None, None, True)
        for select in tree.find_all(exp.Select):
            yield from self._cross_join(select)
        for condition in tree.find_all(exp.Where, exp.Having, exp.Join, exp.If):
            yield from self._null(condition)

    def _null(self, condition: object) -> Iterator[QueryFact]:
        """Yield ``= NULL`` and the like in a condition."""
        from sqlglot import exp

        if not isinstance(condition, (exp.Where, exp.Having, exp.Join, exp.If)):
            return
        where = condition.args.get("on") if isinstance(condition, exp.Join) else condition.this
        if not isinstance(where, exp.Expression):
            return
        for comparison in where.find_all(exp.EQ, exp.NEQ, exp.In):
            listed = isinstance(comparison, exp.In)
            values = comparison.expressions if listed else [comparison.expression]
            if any(isinstance(value, exp.Null) for value in values):
                name = comparison.this.sql() if isinstance(comparison.this, exp.Column) else "this"
                yield NullCompared(self.tree.span(comparison), self.note, None, name, listed)

    def _removed(self, tree: object) -> Iterator[QueryFact]:
        """Yield columns that are dropped, renamed, or added without a value."""
        from sqlglot import exp

        if not isinstance(tree, exp.Alter) or not isinstance(tree.this, exp.Table):
            return
        for action in tree.args.get("actions") or []:
            named = action.find(exp.Identifier)
            is_drop = isinstance(action, exp.Drop) and action.args.get("kind") == "COLUMN"
            if is_drop and named is not None:
                yield Removed(self._span(_start(action)), self.note, None, named.name)
            elif isinstance(action, exp.RenameColumn) and named is not None:
                yield Removed(self._span(_start(action)), self.note, None, named.name, True)
            elif isinstance(action, exp.AlterRename):
                yield Removed(self._span(), self.note, None, tree.this.name, True)
            elif isinstance(action, exp.ColumnDef) and self._rejects_null(action):
                yield Added(self._span(_start(action)), self.note, None, tree.this.name, action.name)

    def _rejects_null(self, column: exp.ColumnDef) -> bool:
        """Return True if adding a column fails on a table with rows, in the script's dialect."""
        from sqlglot import exp

        if self.script.dialect not in ("tsql", "sqlite", "oracle"):
            return False
        kinds = [constraint.kind for constraint in column.constraints]
        if any(isinstance(kind, _filling_constraints()) for kind in kinds):
            return False
        return any(
            isinstance(kind, exp.NotNullColumnConstraint) and not kind.args.get("allow_null")
            for kind in kinds
        )

    def _by_words(self) -> Iterator[QueryFact]:
        """Yield facts that sqlglot keeps as text: grants to everyone, renames by a procedure or CHANGE."""
        text = self.statement.text
        granted = _GRANT.match(text)
        if granted is not None:
            rights = " ".join(granted["rights"].split()).upper()
            if rights not in ("USAGE", "CONNECT") and not rights.startswith("EXECUTE"):
                yield Granted(
                    self.tree.span_at(granted.start("who")), self.note, None, rights, granted["who"]
                )
        for result in _RENAMED.finditer(text):
            name = (result["old"] or result["changed"] or "").strip("`'\"")
            if name and name.lower() != (result["new"] or "").strip("`").lower():
                yield Removed(self.tree.span_at(result.start()), self.note, None, name, True)

    def _alter(self, tree: object) -> Iterator[QueryFact]:
        from sqlglot import exp

        if not isinstance(tree, exp.Alter) or not isinstance(tree.this, exp.Table):
            return
        for action in tree.args.get("actions") or []:
            column = action.this if isinstance(action.this, exp.ColumnDef) else None
            if isinstance(action, exp.ModifyColumn) and column is not None and column.kind is not None:
                sets = any(
                    isinstance(c.kind, (exp.CharacterSetColumnConstraint, exp.CollateColumnConstraint))
                    for c in column.constraints
                )
                new = column.kind.sql(self.script.dialect).lower()
                yield TypeChange(
                    self.tree.span(column.this), self.note, None, tree.this.name, column.name, new, sets
                )
            elif isinstance(action, exp.AlterColumn) and isinstance(action.args.get("dtype"), exp.DataType):
                new = action.args["dtype"].sql(self.script.dialect).lower()
                yield TypeChange(
                    self.tree.span(action.this), self.note, None, tree.this.name, action.name, new
                )
            elif isinstance(action, exp.ColumnDef):
                yield from self._columns(action, tree.this.name)

    def _span(self, location: int | None = None) -> Span:
        """Return the span of a character of the statement's text, or of its first line."""
        if location is None or location == 0:
            return self.script.locations.span(self.statement)
        return self.tree.span_at(location)

    def _write(self, tree: object) -> Iterator[QueryFact]:
        from sqlglot import exp

        if not isinstance(tree, (exp.Delete, exp.Update)) or tree.args.get("where") or tree.args.get("from_"):
            return
        if tree.args.get("using") or tree.args.get("limit") or tree.args.get("from"):
            return
        table = tree.this
        if not isinstance(table, exp.Table) or table.args.get("joins"):
            return
        verb = "DELETE" if isinstance(tree, exp.Delete) else "UPDATE"
        yield Write(self._span(), self.note, None, verb, Name("public", table.name))

    def _not_in(self, negation: object) -> Iterator[QueryFact]:
        from sqlglot import exp

        inside = negation.this if isinstance(negation, exp.Not) else None
        query = inside.args.get("query") if isinstance(inside, exp.In) else None
        select = query.unnest() if isinstance(query, exp.Expression) else None
        if not isinstance(select, exp.Select) or len(select.expressions) != 1:
            return
        column = select.expressions[0]
        where = select.args.get("where")
        if not isinstance(column, exp.Column) or (where and "IS NULL" in where.sql().upper()):
            return
        start = column.this.meta.get("start") if isinstance(column.this, exp.Identifier) else None
        yield Exclusion(self._span(start), self.note, None, column.name, None)

    def _limits(self, tree: object) -> Iterator[QueryFact]:
        from sqlglot import exp

        if not isinstance(tree, exp.Select) or tree.args.get("order") or not tree.find(exp.Table):
            return
        limit = tree.args.get("limit")
        count = limit.expression if isinstance(limit, exp.Limit) else None
        if isinstance(count, exp.Literal) and count.is_int and int(count.name) > 1:
            yield Limit(self._span(), self.note, None, int(count.name))

    def _cross_join(self, select: object) -> Iterator[QueryFact]:
        """Yield plain tables that no condition connects with the others."""
        from sqlglot import exp

        if not isinstance(select, exp.Select) or select.args.get("laterals"):
            return
        first = select.args.get("from_") or select.args.get("from")
        joins = select.args.get("joins") or []
        if first is None or not joins:
            return
        tables = [first.this, *(join.this for join in joins)]
        if not all(
            isinstance(table, exp.Table) and isinstance(table.this, exp.Identifier) for table in tables
        ):
            return
        names = [table.alias_or_name for table in tables]
        pairs = _connected(select, joins, set(names))
        if pairs is None or _picks_rows(select, joins, names):
            return
        for join, name in zip(joins, names[1:], strict=True):
            if _is_loose(select, join, name, names, pairs):
                yield CrossJoin(
                    self._span(_start(join.this)), self.note, None, (tables[0].name, join.this.name)
                )
                return

    def _create(self, tree: object) -> Iterator[QueryFact]:
        from sqlglot import exp

        if not isinstance(tree, exp.Create):
            return
        if tree.kind == "VIEW" and isinstance(tree.expression, exp.Select):
            star = next((e for e in tree.expression.expressions if e.is_star), None)
            if star is not None and _takes_all_columns(tree.expression, {}):
                name = tree.find(exp.Table)
                yield ViewStar(self._span(self._star(tree, star)), self.note, None, name.name if name else "")
        yield from self._columns(tree)

    def _star(self, tree: object, star: object) -> int | None:
        """Return the location of a view's star: after the SELECT that follows its name."""
        from sqlglot import exp

        own = _start(star)
        if own:
            return own
        name = tree.find(exp.Table) if isinstance(tree, exp.Expression) else None
        after = (_start(name) if name is not None else 0) or 0
        match = bounded(r"\bselect\b[^*]*(\*)", re.IGNORECASE).search(self.statement.text, after)
        return match.start(1) if match else None

    def _columns(self, tree: object, table: str = "") -> Iterator[QueryFact]:
        from sqlglot import exp

        for column in tree.find_all(exp.ColumnDef) if isinstance(tree, exp.Expression) else ():
            kind = column.kind.sql(self.script.dialect).lower() if column.kind else ""
            start = column.this.meta.get("start") if isinstance(column.this, exp.Identifier) else None
            yield TypedColumn(self._span(start), self.note, None, table, column.name, kind)


_DEEPEST = 12
"""Queries in one another through which a star is followed; a deeper one is taken as harmless."""


def _takes_all_columns(query: object, outer: Mapping[str, object], depth: int = 0) -> bool:
    """Return True if a star includes all columns of a table, also through subqueries and WITH.

    Args:
        outer: queries of WITH in the enclosing queries, by name.
    """
    if depth > _DEEPEST:
        return False
    from sqlglot import exp

    if isinstance(query, exp.SetOperation):
        known = {**outer, **{cte.alias: cte.this for cte in query.ctes}}
        return any(_takes_all_columns(one, known, depth + 1) for one in (query.this, query.expression))
    if isinstance(query, exp.Subquery):
        return _takes_all_columns(query.this, outer, depth + 1)
    if not isinstance(query, exp.Select):
        return False
    known = {**outer, **{cte.alias: cte.this for cte in query.ctes}}
    first = query.args.get("from_") or query.args.get("from")
    sources = [one.this for one in (first, *query.args.get("joins", ())) if one is not None]
    stars = {one.table if isinstance(one, exp.Column) else "" for one in query.expressions if one.is_star}
    chosen = sources if "" in stars else [one for one in sources if one.alias_or_name in stars]
    return any(_has_unnamed_columns(one, known, depth) for one in chosen)


def _has_unnamed_columns(source: object, known: Mapping[str, object], depth: int) -> bool:
    """Return True for a table, or a query of WITH or FROM that takes all columns of one."""
    from sqlglot import exp

    if not isinstance(source, exp.Table):
        return _takes_all_columns(source, known, depth + 1)
    if source.db or source.name not in known:
        return True
    return _takes_all_columns(known[source.name], known, depth + 1)


def _filling_constraints() -> tuple[type[exp.Expr], ...]:
    from sqlglot import exp

    return (
        exp.DefaultColumnConstraint,
        exp.ComputedColumnConstraint,
        exp.GeneratedAsIdentityColumnConstraint,
    )


def _picks_rows(select: object, joins: list[Any], names: list[str]) -> bool:
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


def _connected(select: object, joins: list[Any], names: set[str]) -> list[set[str]] | None:
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


def _reaches(name: str, names: list[str], pairs: list[set[str]]) -> bool:
    """Return True if conditions connect a table with any other."""
    return any(name in pair and len(pair) > 1 for pair in pairs) or len(names) < 2


def _is_loose(select: exp.Select, join: exp.Join, name: str, names: list[str], pairs: list[set[str]]) -> bool:
    """Return True if neither the condition of a join nor another one connects its table."""
    from sqlglot import exp

    on = join.args.get("on")
    if isinstance(on, exp.Expression) and not isinstance(on, exp.Boolean):
        if explicit_cross(join) or any(name in pair for pair in pairs if len(pair) > 1):
            return False
        return _is_about_one(on, names)
    root = select.root()
    defined = {cte.alias for cte in root.find_all(exp.CTE)} if isinstance(root, exp.Expression) else set()
    table, is_explicit = join.this, any(join.args.get(key) for key in ("using", "kind", "side", "method"))
    if (table.db == "" and table.name in defined) or (is_explicit and join.kind != "INNER"):
        return False
    return not _reaches(name, names, pairs)


def _is_about_one(condition: exp.Expression, names: list[str]) -> bool:
    """Return True if a condition concerns exactly one of the tables, without a subquery or OR."""
    from sqlglot import exp

    tables = {column.table for column in condition.find_all(exp.Column)}
    is_known = "" not in tables and tables <= set(names) and len(tables) == 1
    return is_known and not condition.find(exp.Select, exp.Or)


def explicit_cross(join: Any) -> bool:
    """Return True if a cross join is explicit."""
    return bool(join.kind == "CROSS" or join.args.get("method"))


def _start(node: object) -> int | None:
    """Return the start of a node in its statement, as far as sqlglot preserves it."""
    from sqlglot import exp

    if not isinstance(node, exp.Expression):
        return None
    result = (part.meta.get("start") for part in node.walk() if part.meta)
    return next((location for location in result if isinstance(location, int)), None)


@lru_cache(maxsize=64)
def declared_types(text: str, dialect: str) -> dict[tuple[str, str], str]:
    """Return the column types that a file's statements produce, by table and column."""
    from sqlglot import exp

    from wardround_sql.parsing.sqlglot_trees import parsed_text

    result: dict[tuple[str, str], str] = {}
    for tree in parsed_text(text, dialect):
        table = tree.find(exp.Table) if isinstance(tree, (exp.Create, exp.Alter)) else None
        for column in tree.find_all(exp.ColumnDef) if table is not None else ():
            if column.kind is not None and table is not None:
                result[table.name, column.name] = column.kind.sql(dialect).lower()
    return result
