"""Statements that no database reads: a slip is told from another dialect by trying.

Where one letter set right in a word that no dialect knows makes it a statement of Postgres, that was meant.
Where there is no such word, everybody else is asked before a statement is called wrong.
"""

from __future__ import annotations

import logging
import re
from functools import cache

from msgspec import Struct

from wardround.checks.lazy import LazyPattern
from wardround_sql.parsing.jinja import without_quoted
from wardround_sql.parsing.statements import Unparsed, is_read

_WORD = LazyPattern(r"[A-Za-z_]\w*")
_VARIABLE = LazyPattern(r"[@{}?#\\%&~`\[]|\$[({\w]|(?<!:):(?![:=])|<%|^\s*(?:<|=)", re.MULTILINE)
"""Outside quotes, what clients and templates fill in, and how other databases quote."""
_TAUGHT_SINCE = LazyPattern(
    r"\bconstraint\s+(?:\"[^\"]+\"|\w+)\s+not\s+null\b|\badd\s+not\s+null\b|\bnot\s+enforced\b|\bvirtual\b|"
    r"\bwithout\s+overlaps\b|\bperiod\b|\breturning\s+with\b",
    re.IGNORECASE,
)
"""What Postgres 18 reads and the parser of an earlier one does not."""
_NEAR = 3
"""How many words back from where the parser stopped a slip is looked for: `frm` may be a name until then."""
_WIDEST = 64
_LONGEST = 20_000
_DIALECTS = (
    "postgres", "mysql", "sqlite", "tsql", "oracle", "snowflake", "bigquery", "redshift", "clickhouse",
    "duckdb", "databricks", "trino", "teradata", "exasol", "starrocks", "risingwave", "materialize",
)  # fmt: skip


class Slip(Struct, frozen=True):
    """A word of a statement that is not the one that was meant, and where it begins."""

    point: int
    meant: str


def slip_of(bad: Unparsed) -> Slip | None:
    """The word that keeps a statement from being Postgres; None if no single one does."""
    text = bad.text
    if len(text) > _LONGEST:
        return None
    words = [word for word in _WORD.finditer(text, 0, bad.point + _WIDEST) if word.start() <= bad.point]
    for word in reversed(words[-_NEAR:]):
        wrong = word.group().lower()
        for right in _KEYWORDS:
            if (
                _is_one_slip(wrong, right)
                and wrong not in _known_words()
                and is_read(text[: word.start()] + right + text[word.end() :])
            ):
                return Slip(word.start(), right.upper())
    return None


def is_read_elsewhere(bad: Unparsed) -> bool:
    """Whether another database or a later Postgres reads a statement, or something fills in parts of it."""
    import sqlglot
    from sqlglot import exp

    bare = without_quoted(bad.text)
    if len(bad.text) > _LONGEST or _VARIABLE.search(bare) or _TAUGHT_SINCE.search(bare):
        return True
    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
    kinds = (exp.Query, exp.DML, exp.DDL, exp.Alter, exp.Drop)
    for dialect in _DIALECTS:
        try:
            trees = sqlglot.parse(bad.text, dialect=dialect)
        except (sqlglot.errors.SqlglotError, ValueError, RecursionError, AttributeError, TypeError):
            continue
        if trees and all(isinstance(tree, kinds) for tree in trees):
            return True
    return False


_KEYWORDS = (
    "add", "alter", "analyze", "and", "as", "asc", "before", "begin", "between", "boolean", "by",
    "cascade", "case", "check", "column", "comment", "commit", "concurrently", "conflict", "constraint",
    "create", "cross", "default", "delete", "desc", "distinct", "do", "drop", "each", "else", "end",
    "except", "execute", "exists", "extension", "extract", "for", "foreign", "from", "full", "function",
    "grant", "group", "having", "if", "in", "index", "inner", "insert", "intersect", "into", "is",
    "join", "key", "language", "left", "like", "limit", "materialized", "not", "null", "nulls", "offset",
    "on", "or", "order", "outer", "over", "partition", "policy", "precision", "primary", "procedure",
    "recursive", "references", "rename", "replace", "returning", "returns", "revoke", "right", "role",
    "row", "rows", "schema", "security", "select", "sequence", "set", "table", "temporary", "then", "to",
    "transaction", "trigger", "truncate", "type", "union", "unique", "update", "using", "vacuum",
    "values", "view", "when", "where", "window", "with", "without", "zone",
)  # fmt: skip


@cache
def _known_words() -> frozenset[str]:
    """The words that mean something to some database, in small letters."""
    from sqlglot.dialects.dialect import Dialect

    phrases = [*_KEYWORDS]
    for name in _DIALECTS:
        phrases += Dialect.get_or_raise(name).tokenizer_class.KEYWORDS
    return frozenset(word for phrase in phrases for word in phrase.lower().split())


def _is_one_slip(word: str, right: str) -> bool:
    """Whether one letter is missing, too many, another, or two have changed places."""
    if abs(len(word) - len(right)) > 1:
        return False
    start = next((n for n, (a, b) in enumerate(zip(word, right, strict=False)) if a != b), None)
    if start is None:
        return len(word) != len(right)
    rest, wanted = word[start:], right[start:]
    return (
        rest[1:] == wanted[1:]
        or rest[1:] == wanted
        or rest == wanted[1:]
        or (rest[1::-1] == wanted[:2] and rest[2:] == wanted[2:])
    )
