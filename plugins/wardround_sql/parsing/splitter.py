"""Splitting of SQL text into statements without parsing them.

Quotes, comments, dollar-quoted bodies, ``BEGIN ATOMIC`` bodies, psql commands and the data of ``COPY ... FROM
stdin`` are recognized, so a statement that does not parse hides none of the others. Takes time linear in the
text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from wardround.checks.lazy import LazyPattern

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


class Remark(Struct, frozen=True):
    """Comment in the source, with its delimiter."""

    text: str
    offset: int


class _Cutter:
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
        self.remarks: list[Remark] = []

    def pieces(self) -> Iterator[SqlPiece]:
        size = len(self.text)
        while self.at < size:
            found = _TOKEN.match(self.text, self.at)
            if found is None:
                return
            kind, begun = found.lastgroup, self.at
            self.at = found.end()
            if kind == "plain":
                self._plain(found.group(), begun)
            elif kind == "comment":
                self._comment(begun)
            elif (kind == "psql" and self.depth == 0) or (
                kind == "end" and self.depth <= 0 and not self.atomic
            ):
                yield from self._cut(begun)
            else:
                self._take(kind or "", found.group(), begun)
        yield from self._cut(size)

    def _comment(self, begun: int) -> None:
        if self.text.startswith("/*", begun):
            self.at = self._comment_end(self.at)
        self.remarks.append(Remark(self.text[begun : self.at], begun))

    def _comment_end(self, at: int) -> int:
        depth = 1
        while depth:
            edge = _COMMENT_EDGE.search(self.text, at)
            if edge is None:
                return len(self.text)
            depth += 1 if edge.group() == "/*" else -1
            at = edge.end()
        return at

    def _plain(self, run: str, begun: int) -> None:
        """Skip words, numbers and characters without meaning here."""
        inside = run.strip()
        if not inside:
            return
        if self.start < 0:
            self.start = begun + len(run) - len(run.lstrip())
        self.end = begun + len(run.rstrip())
        if self.has_atomic:
            for word in _WORD.findall(inside):
                self._word(word.lower())

    def _take(self, kind: str, token: str, begun: int) -> None:
        if self.start < 0:
            self.start = begun
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

    def _cut(self, stop: int) -> Iterator[SqlPiece]:
        if self.start >= 0:
            text = self.text[self.start : min(self.end, stop)]
            yield SqlPiece(text, self.start)
            if _COPY_DATA.match(text):
                data = _COPY_END.search(self.text, self.at)
                self.at = data.end() if data else len(self.text)
        self.start, self.depth, self.atomic, self.last = -1, 0, 0, ""


def cut(text: str) -> tuple[list[SqlPiece], list[Remark]]:
    """Return the statements and the comments of a text, in order."""
    cutter = _Cutter(text)
    pieces = list(cutter.pieces())
    return pieces, cutter.remarks


def without_batch_ends(text: str) -> str:
    """Replace T-SQL's ``GO`` and Oracle's ``/`` by semicolons without moving any character."""
    return _BATCH_END.sub(lambda found: ";" + " " * (len(found.group()) - 1), text)
