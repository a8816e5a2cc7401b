"""SQL assembled from several parts of a file: concatenated strings, or calls that represent SQL."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from wardround_sql.parsing.statements import SqlFragment, StatementPart


class Hole(Struct, frozen=True):
    """Value that code inserts into the text of a statement.

    Attributes:
        start, end: its location in the text, where ``$1`` replaces it.
        code: the expression in the file.
        offset: the location of the expression in the file.
        safe: whether it is certainly not an external text: a number, a constant, a list of placeholders.
        outside: whether it is certainly an external text: sent by a caller, and not validated first.
    """

    start: int
    end: int
    code: str
    offset: int
    safe: bool = False
    outside: bool = False


class AssembledText(Struct, frozen=True):
    """Text with the locations of its parts in the file and the values inserted at run time."""

    text: str
    parts: tuple[StatementPart, ...]
    holes: tuple[Hole, ...] = ()

    def fragment(self, *, migrates: bool, modelled: bool = False) -> SqlFragment:
        first = self.parts[0] if self.parts else StatementPart(0, 0)
        if len(self.parts) == 1:
            return SqlFragment(self.text, first.offset, first.width, migrates, (), modelled)
        return SqlFragment(self.text, first.offset, None, migrates, self.parts, modelled)


class SqlAssembler:
    """Builder of an assembled text."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._parts: list[StatementPart] = []
        self._holes: list[Hole] = []
        self._size = 0

    def add(self, text: str, offset: int, width: int | None = None) -> None:
        """Append text that is at a location of the file, or represents ``width`` characters there."""
        if text:
            self._parts.append(StatementPart(self._size, offset, width))
            self._pieces.append(text)
            self._size += len(text)

    def hole(self, code: str, offset: int, *, safe: bool = False, outside: bool = False) -> None:
        start = self._size
        self.add("$1", offset, max(len(code.split("\n", 1)[0]), 1))
        self._holes.append(Hole(start, self._size, code, offset, safe, outside))

    def take(self, other: AssembledText) -> None:
        """Append another text."""
        base = self._size
        self._parts += [StatementPart(part.start + base, part.offset, part.width) for part in other.parts]
        self._holes += [replace(hole, start=hole.start + base, end=hole.end + base) for hole in other.holes]
        self._pieces.append(other.text)
        self._size += len(other.text)

    def copy(self, other: AssembledText, start: int, end: int) -> None:
        """Append a section of another string, with the locations of its parts and its holes."""
        base = self._size - start
        for part, after in zip(
            other.parts, [*(p.start for p in other.parts[1:]), len(other.text)], strict=True
        ):
            first, last = max(part.start, start), min(after, end)
            if first < last:
                offset = part.offset if part.width is not None else part.offset + first - part.start
                self.add(other.text[first:last], offset, part.width)
        self._holes += [
            replace(hole, start=hole.start + base, end=hole.end + base)
            for hole in other.holes
            if start <= hole.start < end
        ]

    def text(self) -> AssembledText:
        return AssembledText("".join(self._pieces), tuple(self._parts), tuple(self._holes))


class DiscardedCall(Struct, frozen=True):
    """Call that narrows a statement and discards the result, with its location in the file."""

    start: int
    end: int
    name: str
    call: str


class CallNames(Struct, frozen=True):
    """SQL of a file in another language.

    Attributes:
        fragments: its SQL, in order.
        built: the strings with holes that are passed to a database, read as SQL or not.
        discarded: calls that narrow a statement and discard the result.
    """

    fragments: tuple[SqlFragment, ...] = ()
    built: tuple[AssembledText, ...] = ()
    discarded: tuple[DiscardedCall, ...] = ()


def quote_identifier(name: str) -> str:
    """Quote a name as an SQL identifier."""
    return '"' + name.replace('"', "") + '"'


def join_columns(names: Iterable[str]) -> str:
    """Join names to a list of columns."""
    return ", ".join(quote_identifier(name) for name in names)


def every_row(verb: str, table: str, columns: list[str]) -> str:
    """Return an UPDATE or DELETE of every row, as SQL that is parsed and never executed."""
    if verb != "update":
        return " ".join(("DELETE FROM", quote_identifier(table)))
    return " ".join(
        (
            "UPDATE",
            quote_identifier(table),
            "SET",
            ", ".join(f"{quote_identifier(c)} = null" for c in columns or ["?"]),
        )
    )


def cross_join(first: str, second: str) -> str:
    """Return a query of two tables without a join condition."""
    return " ".join(("SELECT 1 FROM", f"{quote_identifier(first)},", quote_identifier(second)))


def undone_join_query(table: str) -> str:
    """Return a LEFT JOIN whose right table is compared in WHERE."""
    name = quote_identifier(table)
    return " ".join(("SELECT 1 FROM a LEFT JOIN", name, "ON", f"{name}.k = a.k WHERE {name}.x = 1"))


def limited_query(*, single: bool) -> str:
    """Return a query without an order, of one or several rows."""
    return " ".join(("SELECT a FROM t LIMIT", "1" if single else "10"))


def not_in_query(column: str, table: str) -> str:
    """Return NOT IN over a column of a table."""
    return " ".join(
        (
            "SELECT 1 FROM a WHERE b NOT IN (SELECT",
            quote_identifier(column),
            "FROM",
            f"{quote_identifier(table)})",
        )
    )
