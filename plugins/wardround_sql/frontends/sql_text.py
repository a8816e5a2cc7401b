"""Recognition of SQL in assembled strings, and of holes at the position of a value or a name."""

from __future__ import annotations

import re

from wardround.lazy import LazyPattern
from wardround_sql.frontends.string_assembly import AssembledText, SqlAssembler, quote_identifier

STARTS = LazyPattern(
    r"\s*(?:--[^\n]*\n\s*|/\*.*?\*/\s*)*(?:SELECT\s.*\bFROM\b|INSERT\s+(?:OR\s+\w+\s+|IGNORE\s+)?INTO\s|UPDATE\s.*\bSET\b|"
    r"DELETE\s+FROM\s|REPLACE\s+INTO\s|MERGE\s+INTO\s|WITH\s.*\bAS\s*\(|CREATE\s+(?:OR\s+REPLACE\s+)?"
    r"(?:(?:UNIQUE|TEMP|TEMPORARY|RECURSIVE)\s+)?(?:TABLE|INDEX|VIEW|MATERIALIZED|FUNCTION|PROCEDURE|"
    r"POLICY|TYPE|TRIGGER|SCHEMA|EXTENSION)\b|ALTER\s+(?:TABLE|TYPE|VIEW|FUNCTION|POLICY|DEFAULT|INDEX|DOMAIN)\b|"
    r"LOCK\s+TABLE\s|REFRESH\s+MATERIALIZED\s|DROP\s+(?:TABLE|INDEX|VIEW|TYPE|POLICY|SCHEMA|DATABASE)\b|GRANT\s|REVOKE\s|TRUNCATE\s|REINDEX\s|VACUUM\s|CLUSTER\s|"
    r"DO\s+\$|COMMENT\s+ON\s|BEGIN\s*;)",
    re.IGNORECASE | re.DOTALL,
)
"""Beginning of a text that can only be SQL."""
_CAPITALS = LazyPattern(
    r"\s*(?:--[^\n]*\n\s*)*(?:SELECT\s.*\sFROM\s+[\w\".(]+|INSERT\s+INTO\s+[\w\".]+|UPDATE\s+[\w\".]+\s+(?:\w+\s+)?SET\s|"
    r"WITH\s+(?:RECURSIVE\s+)?\w+\s+AS\s*(?:MATERIALIZED\s*)?\()",
    re.DOTALL,
)
_VALUE = LazyPattern(
    r"(?:[=<>(+\-*/%|\[]|\b(?:like|ilike|limit|offset|in|values|interval|then|else|any|all)|"
    r"\bbetween(?:\s+\S+\s+and)?|\blimit\s+\S+\s*,)\s*$",
    re.IGNORECASE,
)
_MYSQL = LazyPattern(r"(?:[=<>(]|\blike)\s*\"%?$", re.IGNORECASE)
"""Double quotes in the position of a value, as MySQL and SQLite read them."""
_LISTED = LazyPattern(r"\([^()]*,\s*$")


def is_sql(text: AssembledText) -> bool:
    """Return True if a string is one or more complete statements whose holes are values."""
    return STARTS.match(text.text) is not None and all(
        is_value(text.text, hole.start, hole.end) for hole in text.holes
    )


_RELATION = LazyPattern(
    r"(?i)\b(?:from|join|into|update|table|only|truncate|cluster|lock|vacuum(?:\s*\([^()]*\)|\s+full|\s+analyze|\s+verbose)*|"
    r"(?:refresh\s+)?materialized\s+view(?:\s+concurrently)?|reindex\s+(?:table|index)(?:\s+concurrently)?|if\s+exists|on)"
    r"\s+[\"`]?$"
)


def fill_table_names(text: AssembledText) -> AssembledText:
    """Return a string in which holes at the position of a table name hold a name: the code, in braces."""
    named = [item for item in text.holes if _is_name(text.text, item.start, item.end)]
    if not named:
        return text
    writer, at = SqlAssembler(), 0
    for hole in named:
        writer.copy(text, at, hole.start)
        bare = text.text[max(hole.start - 1, 0) : hole.start] in ('"', "`")
        code = "{" + hole.code.replace('"', "").replace("`", "") + "}"
        writer.add(
            code if bare else quote_identifier(code), hole.offset, max(len(hole.code.split("\n", 1)[0]), 1)
        )
        at = hole.end
    writer.copy(text, at, len(text.text))
    return writer.text()


def _is_name(sql: str, start: int, end: int) -> bool:
    if is_quoted(sql, start) or sql[end : end + 1].isalnum() or sql[end : end + 1] in ("_", "."):
        return False
    return _RELATION.search(sql[max(start - 80, 0) : start]) is not None


def is_plainly_sql(text: AssembledText) -> bool:
    """Return True if a text is a query in capitals, unlike any sentence."""
    return _CAPITALS.match(text.text) is not None and is_sql(text)


def is_value(sql: str, start: int, end: int) -> bool:
    """Return True if a hole is in the position of a value: after an operator, or inside quotes."""
    before = sql[max(start - 400, 0) : start]
    if is_quoted(sql, start):
        return True
    if _MYSQL.search(before):
        return True
    if end < len(sql) and (sql[end] in '."`' or sql[end].isalnum() or sql[end] == "_"):
        return False
    return _VALUE.search(before) is not None or _LISTED.search(before) is not None


def is_quoted(sql: str, position: int) -> bool:
    """Return True if an offset is inside a string of the SQL."""
    start = sql.rfind(";", 0, position) + 1
    return sql.count("'", start, position) % 2 == 1
