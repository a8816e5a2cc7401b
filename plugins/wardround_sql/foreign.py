"""The same facts for dialects other than Postgres, through sqlglot: fewer, and each says the dialect."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from weakref import WeakKeyDictionary

from wardround.findings import Span
from wardround.late import LatePattern
from wardround_sql.lexer import Piece, cut
from wardround_sql.queries import CrossJoin, Exclusion, Fact, Limit, TypedColumn, ViewStar, Write
from wardround_sql.schema import Name
from wardround_sql.script import Script
from wardround_sql.statements import Fragment, Statement

_MEMO: WeakKeyDictionary[Script, list[Fact]] = WeakKeyDictionary()
_STATEMENTS = 2000
"""Statements past which a file is a dump, and reading it would take seconds."""
_OFFSET = LatePattern(r"\boffset\b", re.IGNORECASE)
_LENGTH = 20_000


def facts(script: Script) -> list[Fact]:
    """Everything there is to say about a file; statements sqlglot cannot read are passed over."""
    if script not in _MEMO:
        _MEMO[script] = list(_facts(script))
    return _MEMO[script]


def _facts(script: Script) -> Iterator[Fact]:
    import sqlglot

    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
    for fragment in script.fragments:
        pieces, _ = cut(fragment.text)
        for piece in pieces[:_STATEMENTS]:
            if len(piece.text) > _LENGTH:
                continue
            try:
                tree = sqlglot.parse_one(piece.text, dialect=script.dialect)
            except (sqlglot.errors.SqlglotError, ValueError, RecursionError, AttributeError, TypeError):
                continue
            yield from _Reader(script, fragment, piece).read(tree)


class _Reader:
    """One statement's tree."""

    def __init__(self, script: Script, fragment: Fragment, piece: Piece) -> None:
        self.script = script
        self.piece = piece
        self.statement = Statement("", {}, piece.text, piece.offset, fragment, path=script.path)
        self.note = f" (read as {script.dialect})"

    def read(self, tree: object) -> Iterator[Fact]:
        from sqlglot import exp

        if not isinstance(tree, exp.Expression):
            return
        if isinstance(tree, (exp.Delete, exp.Update)):
            yield from self._write(tree)
        if isinstance(tree, exp.Create):
            yield from self._create(tree)
        for negation in tree.find_all(exp.Not):
            yield from self._not_in(negation)
        if isinstance(tree, exp.Query):
            yield from self._limits(tree)
        for offset in tree.find_all(exp.Offset):
            if not isinstance(offset.expression, exp.Literal):
                word = _OFFSET.search(self.piece.text)
                yield Limit(self._span(word.start() if word else None), self.note, None, None, True)
        for select in tree.find_all(exp.Select):
            yield from self._cross_join(select)

    def _span(self, place: int | None = None) -> Span:
        """The place of a character of the statement's text, or its first line."""
        if place is None or place == 0:
            return self.script.span(self.statement)
        return self.script.span(self.statement, len(self.piece.text[:place].encode()))

    def _write(self, tree: object) -> Iterator[Fact]:
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

    def _not_in(self, negation: object) -> Iterator[Fact]:
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

    def _limits(self, tree: object) -> Iterator[Fact]:
        from sqlglot import exp

        if not isinstance(tree, exp.Select) or tree.args.get("order") or not tree.find(exp.Table):
            return
        limit = tree.args.get("limit")
        count = limit.expression if isinstance(limit, exp.Limit) else None
        if isinstance(count, exp.Literal) and count.is_int and int(count.name) > 1:
            yield Limit(self._span(), self.note, None, int(count.name))

    def _cross_join(self, select: object) -> Iterator[Fact]:
        """Two or more plain tables listed with commas, and not one condition that could connect them."""
        from sqlglot import exp

        if not isinstance(select, exp.Select):
            return
        first = select.args.get("from_") or select.args.get("from")
        joins = select.args.get("joins") or []
        listed = [join.this for join in joins if not any(join.args.get(k) for k in _JOIN_KINDS)]
        if first is None or len(listed) != len(joins) or not listed or select.args.get("laterals"):
            return
        root = select.root()
        defined = {cte.alias for cte in root.find_all(exp.CTE)} if isinstance(root, exp.Expression) else set()
        tables = [first.this, *listed]
        if not all(isinstance(t, exp.Table) and isinstance(t.this, exp.Identifier) for t in tables):
            return
        if any(t.db == "" and t.name in defined for t in tables):
            return
        where = select.args.get("where")
        if where is not None and not _only_one_side(where, {t.alias_or_name for t in tables}):
            return
        other = listed[0]
        yield CrossJoin(self._span(_start(other)), self.note, None, (tables[0].name, other.name))

    def _create(self, tree: object) -> Iterator[Fact]:
        from sqlglot import exp

        if not isinstance(tree, exp.Create):
            return
        if tree.kind == "VIEW" and isinstance(tree.expression, exp.Select):
            star = next((e for e in tree.expression.expressions if e.is_star), None)
            defined = {cte.alias for cte in tree.expression.find_all(exp.CTE)}
            if star is not None and any(t.name not in defined for t in tree.expression.find_all(exp.Table)):
                name = tree.find(exp.Table)
                yield ViewStar(self._span(), self.note, None, name.name if name else "")
        for column in tree.find_all(exp.ColumnDef):
            kind = column.kind.sql(self.script.dialect).lower() if column.kind else ""
            start = column.this.meta.get("start") if isinstance(column.this, exp.Identifier) else None
            yield TypedColumn(self._span(start), self.note, None, "", column.name, kind)


_JOIN_KINDS = ("on", "using", "kind", "side", "method")


def _only_one_side(where: object, names: set[str]) -> bool:
    """Whether no part of a condition, with every column saying whose it is, is about two of the tables."""
    from sqlglot import exp

    if not isinstance(where, exp.Where) or where.find(exp.Or):
        return False
    for part in where.this.flatten() if isinstance(where.this, exp.And) else [where.this]:
        owners = {column.table for column in part.find_all(exp.Column)}
        if "" in owners or len(owners & names) > 1:
            return False
    return True


def _start(node: object) -> int | None:
    """Where a node begins in its statement, as far as sqlglot kept it."""
    from sqlglot import exp

    if not isinstance(node, exp.Expression):
        return None
    found = (part.meta.get("start") for part in node.walk() if part.meta)
    return next((place for place in found if isinstance(place, int)), None)
