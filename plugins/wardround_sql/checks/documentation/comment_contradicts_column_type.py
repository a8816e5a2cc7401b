"""SQ480: comment that contradicts the type of a column."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity, Span
from wardround.rules.maturity import Maturity
from wardround.semantics.docdrift.column_comments import contradiction
from wardround.semantics.docdrift.references import TELLS_HISTORY
from wardround_sql.check import SqlCheck

_TYPES = (
    r"(?P<type>numeric|decimal|dec|money|real|float|double precision|double|timestamptz|timestamp"
    r"|datetime2|datetime"
    r"|smalldatetime|date|boolean|bool|jsonb?|n?varchar2?|character varying|character|char|bpchar|text"
    r"|[a-z]+int|int|integer"
    r"|interval|uuid)"
)
_COLUMN = LazyPattern(
    r"(?i)^\s*(?:alter\s+table\s+(?:only\s+)?(?P<table>[\w.\"`]+)\s+)?"
    r"(?:(?:add|alter"
    r"|modify)\s+(?:column\s+)?(?:if\s+not\s+exists\s+)?)?[\"`\[]?(?P<name>[a-z_]\w*)[\"`\]]?\s+"
    rf"(?:(?:set\s+data\s+)?type\s+)?{_TYPES}\b(?:\s*\((?P<sizes>[\d,\s]+)\))?(?P<list>\s*\[\d*\])?(?P<rest>.*)$"
)
_NO_COLUMN = frozenset(
    """
    constraint primary foreign unique check index key as select where and or not set returns return declare
    cast like is in default
    """.split()  # noqa: SIM905  (a list of quoted words is harder to read)
)
_TABLE = LazyPattern(
    r"(?i)\b(?:create\s+(?:unlogged\s+|temp(?:orary)?\s+)?table\s+(?:if\s+not\s+exists\s+)?"
    r"|alter\s+table\s+(?:if\s+exists\s+)?(?:only\s+)?)(?P<table>[\w.\"`]+)"
)
_COMMENT = LazyPattern(
    r"(?is)\bcomment\s+on\s+column\s+(?P<column>[\w.\"]+)\s+is\s+'(?P<words>(?:[^']|'')*)'"
)
_INLINE = LazyPattern(r"(?i)\bcomment\s+'(?P<words>(?:[^']|'')*)'")
_REMARK = LazyPattern(r"(?:^|[^-])--\s*(?P<words>.+)$")


class _Column(Struct, frozen=True):
    kind: str
    sizes: tuple[int, ...]
    is_list: bool
    line: int


class CommentContradictsColumnType(SqlCheck):
    """Comment about the values of a column that contradicts the column's type.

    A comment such as "in cents" on a column with two decimals, "seconds since the epoch" on a timestamp or
    "comma separated" on an array makes readers convert values that need no conversion. Change the comment
    with the type.
    """

    ID = "SQ480"
    NAME = "comment-contradicts-column-type"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "stale-comment"
    WORDS = ("comment", "--")
    VALID = [
        code("""
            create table t (
              fee bigint not null -- in cents
            );
            comment on column t.fee is 'In cents.';
        """),
        code("""
            create table t (
              fee numeric(12, 0) -- in cents
            );
        """),
    ]
    INVALID = [
        code("""
            create table s.t (
              fee numeric(12, 2)
            );
            comment on column s.t.fee is 'Fee in «cents».';
        """),
        code("""
            create table t (
              took interval, -- «milliseconds»
              state text
            );
        """),
    ]

    def run(self) -> None:
        if not self.source.path.endswith(".sql"):
            return
        columns: dict[tuple[str, str], _Column] = {}
        table = ""
        for number, line in enumerate(self.source.lines, 1):
            opened = _TABLE.search(line)
            table = _bare(opened["table"]) if opened else table
            result = _column(line, number)
            if result is not None and table:
                columns[table, result[0]] = result[1]
                for offset, words, where in self._comments(line, number):
                    self._compare(result[1], words, where, offset)
        for match in _COMMENT.finditer(self.source.text):
            path = match["column"].split(".")
            column = columns.get((_bare(path[-2]), _bare(path[-1]))) if len(path) > 1 else None
            if column is not None:
                line_at, start = self.source.position(match.start("words"))
                self._compare(column, match["words"], line_at, start - 1)

    def _comments(self, line: str, number: int) -> Iterator[tuple[int, str, int]]:
        """Yield column, text and line of a column's comments: after it and on the lines above it."""
        for pattern in (_INLINE, _REMARK):
            match = pattern.search(line)
            if match:
                yield match.start("words"), match["words"], number
        above = number - 1
        while above >= 1 and self.source.lines[above - 1].lstrip().startswith("--"):
            text = self.source.lines[above - 1]
            start = len(text) - len(text.lstrip(" \t-"))
            yield start, text[start:].rstrip(), above
            above -= 1

    def _compare(self, column: _Column, words: str, line: int, start: int) -> None:
        if TELLS_HISTORY.search(words) or not (
            self.source.is_added(line) or self.source.is_added(column.line)
        ):
            return
        result = contradiction(column.kind, column.sizes, words, is_list=column.is_list)
        if result is not None and "\n" not in words[: result[1]]:
            begin, end, why = result
            span = Span(line, start + begin + 1, line, start + end + 1)
            self.report(span, f'the comment states "{words[begin:end]}", but {why}')


def _column(line: str, number: int) -> tuple[str, _Column] | None:
    """Return the column that a line declares, with its name."""
    match = _COLUMN.match(line)
    if match is None or match["name"].lower() in _NO_COLUMN:
        return None
    sizes = tuple(int(item) for item in (match["sizes"] or "").replace(" ", "").split(",") if item)
    kind = match["type"].lower().split()[0]
    return match["name"].lower(), _Column(kind, sizes, match["list"] is not None, number)


def _bare(name: str) -> str:
    return name.rpartition(".")[2].strip('"`[]').lower()
