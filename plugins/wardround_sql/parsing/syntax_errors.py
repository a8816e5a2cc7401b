"""Errors of syntax in an SQL file, in one dialect.

PostgreSQL is parsed by its own parser, function bodies included, and the others by sqlglot. A statement that
sqlglot passes on as it is counts as an error, since nothing parsed it.
"""

from __future__ import annotations

import logging

import pgparse  # type: ignore[import-not-found,unused-ignore]

from wardround.text.line_index import LineIndex
from wardround_sql.parsing.dialects import POSTGRES
from wardround_sql.parsing.splitter import SqlPiece, blank_batch_ends, cut
from wardround_sql.parsing.statements import SqlFragment, Statement, parse_fragment

_WITH_BODY = ("CreateFunctionStmt", "DoStmt")


def syntax_error(path: str, dialect: str, text: str) -> str | None:
    """Return why a text does not parse, with the line of the statement; None if it does."""
    return _postgres_error(path, text) if dialect == POSTGRES else _foreign_error(dialect, text)


def _postgres_error(path: str, text: str) -> str | None:
    parsed = parse_fragment(SqlFragment(text), path)
    for bad in parsed.unparsed:
        return _at(text, bad.offset + bad.point, bad.message)
    for statement in parsed.statements:
        if statement.kind in _WITH_BODY and (message := _body_error(statement)):
            return _at(text, statement.offset, message)
    return None


def _body_error(statement: Statement) -> str:
    """Return why a body in PL/pgSQL does not parse; empty if it does, or is in another language."""
    try:
        pgparse.parse_pgsql(statement.text)
    except (pgparse.PGQueryError, ValueError, RecursionError) as error:
        return str(error) or type(error).__name__
    return ""


def _foreign_error(dialect: str, text: str) -> str | None:
    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
    for piece in cut(blank_batch_ends(text))[0]:
        if message := _piece_error(piece, dialect):
            return _at(text, piece.offset, message)
    return None


def _piece_error(piece: SqlPiece, dialect: str) -> str:
    """Return why a statement does not parse; empty if it does."""
    import sqlglot

    try:
        tree = sqlglot.parse_one(piece.text, dialect=dialect)
    except (sqlglot.errors.SqlglotError, ValueError, RecursionError, AttributeError, TypeError) as error:
        return str(error).partition("\n")[0] or type(error).__name__
    return "no parser for this statement" if isinstance(tree, sqlglot.exp.Command) else ""


def _at(text: str, offset: int, message: str) -> str:
    return f"line {LineIndex(text).line(offset)}: {message}"
