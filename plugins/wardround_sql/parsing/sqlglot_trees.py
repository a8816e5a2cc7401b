"""Statements as sqlglot reads them, in any dialect: for what is said about queries as a whole."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from weakref import WeakKeyDictionary

from msgspec import Struct
from sqlglot import exp

from wardround.checks.lazy import LazyPattern
from wardround.findings import Span
from wardround_sql.document import SqlDocument
from wardround_sql.parsing.dialects import POSTGRES
from wardround_sql.parsing.jinja import is_template, without_jinja, without_placeholders
from wardround_sql.parsing.splitter import cut
from wardround_sql.parsing.statements import Statement

_STATEMENTS = 2000
"""Statements past which a file is a dump, and reading it would take seconds."""
_LENGTH = 20_000
_READ = frozenset({"SelectStmt", "InsertStmt", "UpdateStmt", "DeleteStmt", "ViewStmt", "CreateTableAsStmt"})
_PERCENT = LazyPattern(r"%\(\w+\)s|%s|\$\d+")


class SqlTree(Struct, frozen=True, eq=False):
    """One statement: its tree, and where it stands."""

    script: SqlDocument
    statement: Statement
    expression: exp.Expr
    is_postgres: bool

    @property
    def note(self) -> str:
        """The dialect, where it is not Postgres, to be said in the message."""
        return "" if self.is_postgres else f" (read as {self.script.dialect})"

    def span(self, node: exp.Expr | None = None) -> Span:
        """The place where a part begins; without one, or where sqlglot did not keep it, of the first line."""
        place = start_of(node) if node is not None else None
        if not place:
            return self.script.span(self.statement)
        return self.span_at(place)

    def casts(self, *, views_only: bool) -> Iterator[tuple[str, str, exp.Expr]]:
        """Columns of the result that are cast to floating point: name, type, and the part itself."""
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

    def span_at(self, place: int) -> Span:
        """The place of a character of the statement's text."""
        return self.script.span(self.statement, len(self.statement.text[:place].encode()))


_MEMO: WeakKeyDictionary[SqlDocument, list[SqlTree]] = WeakKeyDictionary()


def trees(script: SqlDocument) -> list[SqlTree]:
    """The statements of a file; what sqlglot cannot read is passed over."""
    if script not in _MEMO:
        logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
        _MEMO[script] = list(_postgres(script) if script.is_postgres else _foreign(script))
    return _MEMO[script]


def _postgres(script: SqlDocument) -> Iterator[SqlTree]:
    for statement in script.queries[:_STATEMENTS]:
        if statement.kind in _READ and not statement.fragment.modelled:
            tree = _parsed(without_placeholders(statement.text), POSTGRES)
            if tree is not None:
                yield SqlTree(script, statement, tree, True)


def _foreign(script: SqlDocument) -> Iterator[SqlTree]:
    for fragment in script.fragments:
        text = without_jinja(fragment.text) if is_template(fragment.text) else fragment.text
        pieces, _ = cut(text)
        for piece in pieces[:_STATEMENTS]:
            filled = _PERCENT.sub(lambda found: "?".ljust(len(found.group())), piece.text)
            tree = _parsed(filled, script.dialect)
            if tree is not None:
                statement = Statement("", {}, piece.text, piece.offset, fragment, path=script.path)
                yield SqlTree(script, statement, tree, False)


def parsed_text(text: str, dialect: str) -> list[exp.Expr]:
    """The statements of a text that can be read, without their places."""
    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
    pieces, _ = cut(text)
    found = [_parsed(piece.text, dialect) for piece in pieces[:_STATEMENTS]]
    return [tree for tree in found if tree is not None]


def _parsed(text: str, dialect: str) -> exp.Expr | None:
    import sqlglot

    if len(text) > _LENGTH:
        return None
    try:
        tree = sqlglot.parse_one(text, dialect=dialect)
    except (sqlglot.errors.SqlglotError, ValueError, RecursionError, AttributeError, TypeError):
        return None
    return tree if isinstance(tree, exp.Expr) else None


def start_of(node: exp.Expr) -> int | None:
    """Where a part begins in its statement, as far as sqlglot kept it."""
    found = (part.meta.get("start") for part in node.walk() if part.meta)
    places = [place for place in found if isinstance(place, int)]
    return min(places, default=None)
