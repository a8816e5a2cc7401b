"""Statements parsed by sqlglot, in any dialect, for rules about entire queries."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from weakref import WeakKeyDictionary

from msgspec import Struct
from sqlglot import exp

from wardround.findings import Span
from wardround.lazy import LazyPattern
from wardround_sql.document import SqlDocument
from wardround_sql.parsing.dialects import POSTGRES
from wardround_sql.parsing.jinja import is_template, pad_placeholders, replace_jinja
from wardround_sql.parsing.splitter import cut
from wardround_sql.parsing.statements import Statement, lines_down

_STATEMENTS = 2000
"""Number of statements above which a file is a dump that takes seconds to parse."""
_LENGTH = 20_000
_READ = frozenset({"SelectStmt", "InsertStmt", "UpdateStmt", "DeleteStmt", "ViewStmt", "CreateTableAsStmt"})
_PERCENT = LazyPattern(r"%\(\w+\)s|%s|\$\d+")


class SqlTree(Struct, frozen=True, eq=False):
    """One statement: its tree and its location."""

    script: SqlDocument
    statement: Statement
    expression: exp.Expr
    is_postgres: bool

    @property
    def note(self) -> str:
        """Dialect for the message, if it is not PostgreSQL."""
        return "" if self.is_postgres else f" (read as {self.script.dialect})"

    def span(self, node: exp.Expr | None = None) -> Span:
        """Return the span of a node's start, or of the first line without a node or location."""
        location_items = start_of(node) if node is not None else None
        if not location_items:
            return self.script.locations.span(self.statement)
        return self.span_at(location_items)

    def casts(self, *, views_only: bool) -> Iterator[tuple[str, str, exp.Expr]]:
        """Result columns that are cast to floating point: name, type, and node."""
        tree = self.expression
        if (
            isinstance(tree, exp.Create)
            and tree.kind in ("VIEW", "TABLE")
            and isinstance(tree.expression, exp.Query)
        ):
            tree = tree.expression
        elif views_only:
            return
        for select in tree.find_all(exp.Select):
            for target in select.expressions:
                cast = target.unalias()
                kind = cast.to.sql("postgres").lower() if isinstance(cast, exp.Cast) else ""
                if kind in ("float", "real", "double precision", "float8", "float4", "double"):
                    yield target.alias_or_name, kind, cast

    def span_at(self, location: int) -> Span:
        """Return the span of a character of the statement's text."""
        return self.script.locations.span(self.statement, len(self.statement.text[:location].encode()))


_MEMO: WeakKeyDictionary[SqlDocument, list[SqlTree]] = WeakKeyDictionary()


def trees(script: SqlDocument) -> list[SqlTree]:
    """Return the statements of a file that sqlglot can parse."""
    if script not in _MEMO:
        logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
        _MEMO[script] = list(_postgres(script) if script.is_postgres else _foreign(script))
    return _MEMO[script]


def _postgres(script: SqlDocument) -> Iterator[SqlTree]:
    for statement in script.queries[:_STATEMENTS]:
        if statement.kind in _READ and not statement.fragment.modelled:
            tree = _parse(pad_placeholders(statement.text), POSTGRES)
            if tree is not None:
                yield SqlTree(script, statement, tree, True)


def _foreign(script: SqlDocument) -> Iterator[SqlTree]:
    for fragment in script.fragments:
        text = replace_jinja(fragment.text) if is_template(fragment.text) else fragment.text
        pieces, _ = cut(text)
        down = lines_down(text)
        for piece in pieces[:_STATEMENTS]:
            if down and text.count("\n", 0, piece.offset) + 1 in down:
                continue
            filled = _PERCENT.sub(lambda result: "?".ljust(len(result.group())), piece.text)
            tree = _parse(filled, script.dialect)
            if tree is not None:
                statement = Statement("", {}, piece.text, piece.offset, fragment, path=script.path)
                yield SqlTree(script, statement, tree, False)


def parsed_text(text: str, dialect: str) -> list[exp.Expr]:
    """Return the parseable statements of a text, without their locations."""
    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
    pieces, _ = cut(text)
    result = [_parse(piece.text, dialect) for piece in pieces[:_STATEMENTS]]
    return [tree for tree in result if tree is not None]


def _parse(text: str, dialect: str) -> exp.Expr | None:
    import sqlglot

    if len(text) > _LENGTH:
        return None
    try:
        tree = sqlglot.parse_one(text, dialect=dialect)
    except (sqlglot.errors.SqlglotError, ValueError, RecursionError, AttributeError, TypeError):
        return None
    return tree if isinstance(tree, exp.Expr) else None


def start_of(node: exp.Expr) -> int | None:
    """Return the start of a node in its statement, as far as sqlglot preserves it."""
    result = (part.meta.get("start") for part in node.walk() if part.meta)
    locations = [location for location in result if isinstance(location, int)]
    return min(locations, default=None)
