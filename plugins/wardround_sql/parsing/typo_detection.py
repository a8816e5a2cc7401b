"""Typos in statements that no database accepts, as opposed to other dialects.

If correcting one letter of a word unknown to every dialect makes a statement valid in PostgreSQL, it is a
typo. Otherwise the statement is tried in all other dialects before it counts as invalid.
"""

from __future__ import annotations

import logging
import re
from functools import cache

from msgspec import Struct

from wardround.lazy import LazyPattern
from wardround_sql.parsing.jinja import strip_quoted
from wardround_sql.parsing.statements import Unparsed, is_read

_WORD = LazyPattern(r"[A-Za-z_]\w*")
_VARIABLE = LazyPattern(r"[@{}?#\\%&~`\[]|\$[({\w]|(?<!:):(?![:=])|<%|^\s*(?:<|=)", re.MULTILINE)
"""Outside quotes: variables of clients and templates, and quoting of other databases."""
_TAUGHT_SINCE = LazyPattern(
    r"\bconstraint\s+(?:\"[^\"]+\"|\w+)\s+not\s+null\b|\badd\s+not\s+null\b|\bnot\s+enforced\b|\bvirtual\b|"
    r"\bwithout\s+overlaps\b|\bperiod\b|\breturning\s+with\b",
    re.IGNORECASE,
)
"""Syntax of PostgreSQL 18 that the parser of an earlier version rejects."""
_NEAR = 3
"""Number of words before the parser's error to search for a typo: `frm` may be a name until then."""
_WIDEST = 64
_LONGEST = 20_000
_DIALECTS = (
    "postgres", "mysql", "sqlite", "tsql", "oracle", "snowflake", "bigquery", "redshift", "clickhouse",
    "duckdb", "databricks", "trino", "teradata", "exasol", "starrocks", "risingwave", "materialize",
)  # fmt: skip


class Misspelling(Struct, frozen=True):
    """Misspelled word of a statement: its offset and its correction."""

    point: int
    meant: str


def slip_of(bad: Unparsed) -> Misspelling | None:
    """Return the only misspelled word that makes a statement invalid; None if no single word does."""
    text = bad.text
    if len(text) > _LONGEST:
        return None
    words = [word for word in _WORD.finditer(text, 0, bad.point + _WIDEST) if word.start() <= bad.point]
    for word in reversed(words[-_NEAR:]):
        wrong = word.group().lower()
        for right in _KEYWORDS:
            if (
                _is_single_typo(wrong, right)
                and wrong not in _known_words()
                and is_read(text[: word.start()] + right + text[word.end() :])
            ):
                return Misspelling(word.start(), right.upper())
    return None


def is_read_elsewhere(bad: Unparsed) -> bool:
    """Return True if another database, a later PostgreSQL or a template engine accepts a statement."""
    import sqlglot
    from sqlglot import exp

    bare = strip_quoted(bad.text)
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
    """Return the keywords of all databases, in lower case."""
    from sqlglot.dialects.dialect import Dialect

    phrases = [*_KEYWORDS]
    for name in _DIALECTS:
        phrases += Dialect.get_or_raise(name).tokenizer_class.KEYWORDS
    return frozenset(word for phrase in phrases for word in phrase.lower().split())


def _is_single_typo(word: str, right: str) -> bool:
    """Return True if one letter is missing, superfluous or different, or two are swapped."""
    if abs(len(word) - len(right)) > 1:
        return False
    start = next((n for n, (a, b) in enumerate(zip(word, right, strict=False)) if a != b), None)
    if start is None:
        return len(word) != len(right)
    rest, expected = word[start:], right[start:]
    return (
        rest[1:] == expected[1:]
        or rest[1:] == expected
        or rest == expected[1:]
        or (rest[1::-1] == expected[:2] and rest[2:] == expected[2:])
    )
