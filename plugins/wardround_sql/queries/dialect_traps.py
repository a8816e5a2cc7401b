"""Syntax with an unexpected meaning in a dialect: locations in a masked text, each with its effect."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from msgspec import Struct

from wardround.findings import Severity
from wardround.lazy import LazyPattern
from wardround_sql.parsing.masking import statement_around


class Trap(Struct, frozen=True):
    """Location in a text, and its meaning in the dialect."""

    start: int
    end: int
    says: str
    severity: Severity = Severity.WARN


_EMPTY = LazyPattern(r"(?<![:<>!=])(?:=|<>|!=|\^=)\s*''(?!')")
_CONTEXT = LazyPattern(
    r"(?i)\b(set|where|and|or|if|elsif|when|on|having|not|values|default|while|return|select|is|then|else)\b"
)
_CONDITIONS = frozenset({"where", "and", "or", "if", "elsif", "when", "on", "having", "not", "while"})
_ROWNUM = LazyPattern(r"(?i)\brownum\s*<=?\s*[\w:]+\s+(?:and\s[^;()]{0,200}?\s)?order\s+by\b")
_LOOKED_BACK = 300


def oracle(code: str, text: str) -> Iterator[Trap]:
    for match in _EMPTY.finditer(code):
        before = [
            m[1].lower() for m in _CONTEXT.finditer(code, max(match.start() - _LOOKED_BACK, 0), match.start())
        ]
        if before and before[-1] in _CONDITIONS:
            yield Trap(
                *match.span(),
                "Oracle stores '' as NULL, so the comparison is never true; use IS NULL or IS NOT NULL",
            )
    for match in _ROWNUM.finditer(code):
        yield Trap(
            match.start(), match.start() + 6,
            "ROWNUM is assigned before ORDER BY sorts, so arbitrary rows are selected; order in a subquery",
        )  # fmt: skip


_IDENTITY = LazyPattern(r"(?i)@@identity\b")
_CURRENT = LazyPattern(r"(?i)\bident_current\s*\(")
_NOLOCK = LazyPattern(
    r"(?i)\(\s*(?:[\w()]+\s*,\s*)?(nolock|readuncommitted)\b|\bisolation\s+level\s+(read\s+uncommitted)\b"
)


def tsql(code: str, text: str) -> Iterator[Trap]:
    for match in _IDENTITY.finditer(code):
        yield Trap(
            *match.span(),
            "@@IDENTITY may be a key that a trigger inserted; use SCOPE_IDENTITY() or OUTPUT",
        )
    for match in _CURRENT.finditer(code):
        message = "IDENT_CURRENT returns the last key of any session; use SCOPE_IDENTITY() or OUTPUT"
        yield Trap(match.start(), match.end() - 1, message)
    for match in _NOLOCK.finditer(code):
        group = 1 if match[1] else 2
        message = (
            f"{match[group].upper()} reads uncommitted data and may skip or repeat rows; "
            "use another isolation level"
        )
        yield Trap(match.start(group), match.end(group), message, Severity.INFO)


_MYISAM = LazyPattern(r"(?i)\bengine\s*=?\s*(?:myisam|'      ')")
_UTF8 = LazyPattern(
    r"(?i)\b(?:charset|character\s+set)\s*=?\s*(utf8(?:mb3)?)\b|\bcollate\s*=?\s*(utf8(?:mb3)?)_\w+"
)
_CREATES = LazyPattern(r"(?i)\s*create\s+(?:temporary\s+)?table\b")
_REFERENCES = LazyPattern(r"(?i)\breferences\b")
_KEY = LazyPattern(r"(?i)\bforeign\s+key\b")
_IN_SET = LazyPattern(r"(?i)\bfind_in_set\s*\(")
_PIPES = LazyPattern(r"'\s*\|\||\|\|\s*'")


def mysql(code: str, text: str) -> Iterator[Trap]:
    yield from _myisam(code)
    yield from _three_byte_utf8(code)
    for match in _REFERENCES.finditer(code) if "mariadb" not in text.lower() else ():
        start, _end = statement_around(code, match.start())
        if _CREATES.match(code, start) and not _is_constraint(code, start, match.start()):
            message = (
                "MySQL before 9.0 parses REFERENCES after a column and ignores it; write FOREIGN KEY (...)"
            )
            yield Trap(*match.span(), message)
    for match in _IN_SET.finditer(code):
        message = "FIND_IN_SET reads every row and splits its text; store the values in rows of a table"
        yield Trap(match.start(), match.end() - 1, message, Severity.INFO)
    for match in _PIPES.finditer(code):
        yield Trap(*match.span(), "|| is OR in MySQL, so the result is 0 or 1; use CONCAT()")


def _myisam(code: str) -> Iterator[Trap]:
    for match in _MYISAM.finditer(code):
        start, end = statement_around(code, match.start())
        if _REFERENCES.search(code, start, end) is not None:
            message = "MyISAM parses the foreign key and ignores it; use InnoDB"
            yield Trap(*match.span(), message, Severity.WARN)
        else:
            message = "MyISAM has no transactions and loses rows in a crash; use InnoDB"
            yield Trap(*match.span(), message, Severity.INFO)


def _three_byte_utf8(code: str) -> Iterator[Trap]:
    """Yield the first use of ``utf8`` in each statement."""
    reported = -1
    for match in _UTF8.finditer(code):
        start = statement_around(code, match.start())[0]
        if start != reported:
            reported = start
            message = (
                "utf8 stores at most three bytes per character, so emoji and rare names are rejected or cut; "
                "use utf8mb4"
            )
            yield Trap(*match.span(), message, Severity.INFO)


def _is_constraint(code: str, start: int, offset: int) -> bool:
    """Return True if REFERENCES belongs to a FOREIGN KEY, not to a column."""
    depth = 0
    for location in range(offset - 1, start, -1):
        char = code[location]
        if char == ")":
            depth += 1
        elif char == "(":
            depth -= 1
        if depth < 0 or (depth == 0 and char == ","):
            return _KEY.search(code, location, offset) is not None
    return True


_DOUBLE = LazyPattern(
    r"(?i)(?:(?<![<>!])=|==|<>|!=|\blike|\bthen|\belse|\bin\s*\()\s*(\"([^\"\n]*)\")(?!\s*\.)"
)


def sqlite(code: str, text: str) -> Iterator[Trap]:
    for match in _DOUBLE.finditer(code):
        word = re.escape(match[2])
        if not re.fullmatch(r"\w+", match[2]) or not re.search(
            rf"(?i)(?<![\"\w]){word}\b|\"{word}\"\s+\w", code
        ):
            message = (
                f'SQLite reads "{match[2]}" as a string only while no column has that name; use single quotes'
            )
            yield Trap(match.start(1), match.end(1), message)


_WILDCARD = LazyPattern(r"(?i)\b(?:from|join)\s+(`[\w.-]+\*`)")
_SUFFIX = LazyPattern(r"(?i)\b_table_suffix\b|\b_partition(?:time|date)\b")


_PARTITIONED = LazyPattern(
    r"(?i)(?:--|#|/\*)[^\n]{0,200}?\b(?P<table>\w+)\s+(?:is|are)\s+partitioned\s+(?:by|on)\s+[`\w(]*?(?P<column>\w+)\b"
)


def _unpartitioned_queries(code: str, text: str) -> Iterator[Trap]:
    """Yield queries without a partition filter on a table that a comment declares as partitioned."""
    for match in _PARTITIONED.finditer(text):
        read = re.compile(rf"(?i)\b(?:from|join)\s+(`?(?:[\w-]+\.)*{match['table']}`?)(?![\w`.])")
        for result in read.finditer(code):
            if not re.search(
                rf"(?i)\b{match['column']}\b", code[slice(*statement_around(code, result.start()))]
            ):
                message = f"query reads and is billed for every partition; filter by {match['column']}"
                yield Trap(*result.span(1), message, Severity.INFO)


def bigquery(code: str, text: str) -> Iterator[Trap]:
    yield from _unpartitioned_queries(code, text)
    for match in _WILDCARD.finditer(code):
        if not _SUFFIX.search(code, *statement_around(code, match.start())):
            message = "query reads and is billed for every table of the wildcard; filter by _TABLE_SUFFIX"
            yield Trap(match.start(1), match.end(1), message, Severity.INFO)


_REPLACED = LazyPattern(r"(?i)\bcreate\s+or\s+replace\s+(?:transient\s+)?table\s+[\w.\"`]+\s*\(")


def table_replacements(code: str, text: str) -> Iterator[Trap]:
    """Yield CREATE OR REPLACE TABLE, for migrations."""
    for match in _REPLACED.finditer(code):
        message = "OR REPLACE drops the existing table with its rows and grants; use IF NOT EXISTS or ALTER"
        yield Trap(match.start(), match.end(), message)


TRAPS: dict[str, Callable[[str, str], Iterator[Trap]]] = {
    "oracle": oracle, "tsql": tsql, "mysql": mysql, "sqlite": sqlite, "bigquery": bigquery,
}  # fmt: skip
"""Detectors by dialect; the arguments are the masked text and the original text."""
REPLACES = frozenset({"snowflake", "bigquery", "databricks", "mysql", "clickhouse", "duckdb"})
