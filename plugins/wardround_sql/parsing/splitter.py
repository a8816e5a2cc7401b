"""Splitting of SQL text into statements without parsing them.

Quotes, comments, dollar-quoted bodies, ``BEGIN ATOMIC`` bodies, psql commands and the data of ``COPY ... FROM
stdin`` are recognized, so a statement that does not parse hides none of the others. Takes time linear in the
text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from wardround.lazy import LazyPattern

_TOKEN = LazyPattern(
    r"""
      (?P<plain>[^;'"`$()\[\]\\/\-]++)
    | (?P<comment>--[^\n]*+|/\*)
    | (?P<psql>^\\[^\n]*+)
    | (?P<string>(?<=[eE])(?<![\w$][eE])'(?:[^'\\]|\\.|'')*+(?:'|\Z)|'(?:[^']|'')*+(?:'|\Z))
    | (?P<name>"(?:[^"]|"")*+(?:"|\Z)|`[^`]*+(?:`|\Z))
    | (?P<dollar>(?<![\w$])\$(?:[^\W\d]\w*+)?\$)
    | (?P<end>;)
    | (?P<open>[(\[])
    | (?P<close>[)\]])
    | (?P<other>.)
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_WORD = LazyPattern(r"\w+")
_ATOMIC = LazyPattern(r"\bbegin\s+atomic\b", re.IGNORECASE)
_COMMENT_EDGE = LazyPattern(r"/\*|\*/")
_COPY_DATA = LazyPattern(r"copy\b[^;]*\bfrom\s+stdin\b", re.IGNORECASE)
_COPY_END = LazyPattern(r"^\\\.[^\n]*", re.MULTILINE)
_BATCH_END = LazyPattern(r"^[ \t]*(?:go|/)[ \t]*$", re.IGNORECASE | re.MULTILINE)


class SqlPiece(Struct, frozen=True):
    """One statement in the source, without its semicolon; offsets in code points."""

    text: str
    offset: int


class SqlComment(Struct, frozen=True):
    """Comment in the source, with its delimiter."""

    text: str
    offset: int


class _Splitter:
    """One pass over a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.start = -1
        self.end = 0
        self.depth = 0
        self.atomic = 0
        self.last = ""
        self.has_atomic = _ATOMIC.search(text) is not None
        self.remarks: list[SqlComment] = []

    def pieces(self) -> Iterator[SqlPiece]:
        size = len(self.text)
        while self.at < size:
            result = _TOKEN.match(self.text, self.at)
            if result is None:
                return
            kind, start = result.lastgroup or "", self.at
            self.at = result.end()
            if kind == "plain":
                self._plain(result.group(), start)
            elif kind == "comment":
                self._skip_comment(start)
            elif self._ends_statement(kind):
                yield from self._split_pieces(start)
            else:
                self._take(kind, result.group(), start)
        yield from self._split_pieces(size)

    def _ends_statement(self, kind: str) -> bool:
        if kind == "psql":
            return self.depth == 0
        return kind == "end" and self.depth <= 0 and not self.atomic

    def _skip_comment(self, start: int) -> None:
        if self.text.startswith("/*", start):
            self.at = self._comment_end(self.at)
        self.remarks.append(SqlComment(self.text[start : self.at], start))

    def _comment_end(self, offset: int) -> int:
        depth = 1
        while depth:
            edge = _COMMENT_EDGE.search(self.text, offset)
            if edge is None:
                return len(self.text)
            depth += 1 if edge.group() == "/*" else -1
            offset = edge.end()
        return offset

    def _plain(self, run: str, begin: int) -> None:
        """Skip words, numbers and characters without meaning here."""
        inside = run.strip()
        if not inside:
            return
        if self.start < 0:
            self.start = begin + len(run) - len(run.lstrip())
        self.end = begin + len(run.rstrip())
        if self.has_atomic:
            for word in _WORD.findall(inside):
                self._word(word.lower())

    def _take(self, kind: str, token: str, begin: int) -> None:
        if self.start < 0:
            self.start = begin
        if kind == "dollar":
            close = self.text.find(token, self.at)
            self.at = len(self.text) if close < 0 else close + len(token)
        elif kind in ("open", "close"):
            self.depth += 1 if kind == "open" else -1
        self.end = self.at

    def _word(self, word: str) -> None:
        """Count ``BEGIN ATOMIC ... END``, inside which semicolons end no statement."""
        if word == "atomic" and self.last == "begin":
            self.atomic = 1
        elif self.atomic and word == "case":
            self.atomic += 1
        elif self.atomic and word == "end":
            self.atomic -= 1
        self.last = word

    def _split_pieces(self, stop: int) -> Iterator[SqlPiece]:
        if self.start >= 0:
            text = self.text[self.start : min(self.end, stop)]
            yield SqlPiece(text, self.start)
            if _COPY_DATA.match(text):
                data = _COPY_END.search(self.text, self.at)
                self.at = data.end() if data else len(self.text)
        self.start, self.depth, self.atomic, self.last = -1, 0, 0, ""


def cut(text: str) -> tuple[list[SqlPiece], list[SqlComment]]:
    """Return the statements and the comments of a text, in order."""
    cutter = _Splitter(text)
    pieces = list(cutter.pieces())
    return pieces, cutter.remarks


def blank_batch_ends(text: str) -> str:
    """Replace T-SQL's ``GO`` and Oracle's ``/`` by semicolons without moving any character."""
    return _BATCH_END.sub(lambda result: ";" + " " * (len(result.group()) - 1), text)
