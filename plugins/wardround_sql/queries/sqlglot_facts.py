"""Facts for dialects other than PostgreSQL, from sqlglot: fewer, and each names the dialect."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from wardround.findings import Span
from wardround.lazy import LazyPattern
from wardround.storage.regex_cache import bounded_pattern
from wardround_sql.document import SqlDocument
from wardround_sql.queries.fact_types import (
    AddedColumn,
    CrossJoin,
    Exclusion,
    NullCompared,
    PublicGrant,
    QueryFact,
    RemovedObject,
    TypeChange,
    TypedColumn,
    UnfilteredWrite,
    UnorderedLimit,
    ViewStar,
)
from wardround_sql.queries.sqlglot_joins import connected_tables, is_loose, joined_tables, picks_rows
from wardround_sql.queries.sqlglot_stars import selects_all_columns
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

        _MEMO[script] = [fact for tree in trees(script) for fact in _StatementReader(tree).read()]
    return _MEMO[script]


class _StatementReader:
    """Tree of one statement."""

    def __init__(self, tree: SqlTree) -> None:
        self.tree = tree
        self.script = tree.script
        self.statement = tree.statement
        self.note = tree.note

    def read(self) -> Iterator[QueryFact]:
        from sqlglot import exp

        tree = self.tree.expression
        match tree:
            case exp.Delete() | exp.Update():
                yield from self._write(tree)
            case exp.Create():
                yield from self._create(tree)
            case exp.Alter(this=exp.Table()):
                yield from self._type_changes(tree)
                yield from self._removed_columns(tree)
        yield from self._facts_by_words()
        for negation in tree.find_all(exp.Not):
            yield from self._not_in(negation)
        if isinstance(tree, exp.Query):
            yield from self._limits(tree)
        for offset in tree.find_all(exp.Offset):
            yield from self._offset(offset)
        for select in tree.find_all(exp.Select):
            yield from self._cross_join(select)
        for condition in tree.find_all(exp.Where, exp.Having, exp.Join, exp.If):
            yield from self._null(condition)

    def _offset(self, offset: exp.Offset) -> Iterator[QueryFact]:
        """Yield an OFFSET whose number is not a constant."""
        from sqlglot import exp

        if isinstance(offset.expression, exp.Literal):
            return
        words = list(_OFFSET.finditer(self.statement.text))
        yield UnorderedLimit(self._span(words[-1].start() if words else None), self.note, None, None, True)

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

    def _removed_columns(self, tree: exp.Alter) -> Iterator[QueryFact]:
        """Yield columns that are dropped, renamed, or added without a value."""
        from sqlglot import exp

        table = tree.this.name
        for action in tree.args.get("actions") or []:
            column = action.find(exp.Identifier)
            match action:
                case exp.Drop() if action.args.get("kind") == "COLUMN" and column is not None:
                    yield RemovedObject(self._span(_start(action)), self.note, None, column.name)
                case exp.RenameColumn() if column is not None:
                    yield RemovedObject(self._span(_start(action)), self.note, None, column.name, True)
                case exp.AlterRename():
                    yield RemovedObject(self._span(), self.note, None, table, True)
                case exp.ColumnDef() if self._rejects_null(action):
                    yield AddedColumn(self._span(_start(action)), self.note, None, table, action.name)

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

    def _facts_by_words(self) -> Iterator[QueryFact]:
        """Yield facts that sqlglot keeps as text: grants to everyone, renames by a procedure or CHANGE."""
        text = self.statement.text
        granted = _GRANT.match(text)
        if granted is not None:
            rights = " ".join(granted["rights"].split()).upper()
            if rights not in ("USAGE", "CONNECT") and not rights.startswith("EXECUTE"):
                yield PublicGrant(
                    self.tree.span_at(granted.start("who")), self.note, None, rights, granted["who"]
                )
        for result in _RENAMED.finditer(text):
            name = (result["old"] or result["changed"] or "").strip("`'\"")
            if name and name.lower() != (result["new"] or "").strip("`").lower():
                yield RemovedObject(self.tree.span_at(result.start()), self.note, None, name, True)

    def _type_changes(self, tree: exp.Alter) -> Iterator[QueryFact]:
        """Yield the new types of columns: of altered ones and of added ones."""
        from sqlglot import exp

        table = tree.this.name
        for action in tree.args.get("actions") or []:
            match action:
                case exp.ModifyColumn(this=exp.ColumnDef() as column) if column.kind is not None:
                    yield self._type_change(table, column, column.kind, recoded=_sets_collation(column))
                case exp.AlterColumn() if isinstance(action.args.get("dtype"), exp.DataType):
                    yield self._type_change(table, action, action.args["dtype"])
                case exp.ColumnDef():
                    yield from self._columns(action, table)

    def _type_change(
        self, table: str, column: exp.Expr, kind: exp.Expr, *, recoded: bool = False
    ) -> TypeChange:
        new_type = kind.sql(self.script.dialect).lower()
        return TypeChange(self.tree.span(column.this), self.note, None, table, column.name, new_type, recoded)

    def _span(self, location: int | None = None) -> Span:
        """Return the span of a character of the statement's text, or of its first line."""
        if location is None or location == 0:
            return self.script.locations.span(self.statement)
        return self.tree.span_at(location)

    def _write(self, tree: exp.Delete | exp.Update) -> Iterator[QueryFact]:
        """Yield a write of every row of a table."""
        from sqlglot import exp

        if any(tree.args.get(key) for key in ("where", "from_", "from", "using", "limit")):
            return
        table = tree.this
        if not isinstance(table, exp.Table) or table.args.get("joins"):
            return
        verb = "DELETE" if isinstance(tree, exp.Delete) else "UPDATE"
        yield UnfilteredWrite(self._span(), self.note, None, verb, Name("public", table.name))

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
            yield UnorderedLimit(self._span(), self.note, None, int(count.name))

    def _cross_join(self, select: exp.Select) -> Iterator[QueryFact]:
        """Yield the first plain table that no condition connects with the others."""
        joined = joined_tables(select)
        if joined is None:
            return
        names = joined.names
        pairs = connected_tables(select, joined.joins, set(names))
        if pairs is None or picks_rows(select, joined.joins, names):
            return
        for join, name in zip(joined.joins, names[1:], strict=True):
            if is_loose(select, join, name, names, pairs):
                location_items = self._span(_start(join.this))
                yield CrossJoin(location_items, self.note, None, (joined.tables[0].name, join.this.name))
                return

    def _create(self, tree: object) -> Iterator[QueryFact]:
        from sqlglot import exp

        if not isinstance(tree, exp.Create):
            return
        if tree.kind == "VIEW" and isinstance(tree.expression, exp.Select):
            star = next((e for e in tree.expression.expressions if e.is_star), None)
            if star is not None and selects_all_columns(tree.expression, {}):
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
        match = bounded_pattern(r"\bselect\b[^*]*(\*)", re.IGNORECASE).search(self.statement.text, after)
        return match.start(1) if match else None

    def _columns(self, tree: object, table: str = "") -> Iterator[QueryFact]:
        from sqlglot import exp

        for column in tree.find_all(exp.ColumnDef) if isinstance(tree, exp.Expression) else ():
            kind = column.kind.sql(self.script.dialect).lower() if column.kind else ""
            start = column.this.meta.get("start") if isinstance(column.this, exp.Identifier) else None
            yield TypedColumn(self._span(start), self.note, None, table, column.name, kind)


def _sets_collation(column: exp.ColumnDef) -> bool:
    from sqlglot import exp

    collations = (exp.CharacterSetColumnConstraint, exp.CollateColumnConstraint)
    return any(isinstance(constraint.kind, collations) for constraint in column.constraints)


def _filling_constraints() -> tuple[type[exp.Expr], ...]:
    from sqlglot import exp

    return (
        exp.DefaultColumnConstraint,
        exp.ComputedColumnConstraint,
        exp.GeneratedAsIdentityColumnConstraint,
    )


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
