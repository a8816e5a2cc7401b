"""SQL that is put together of pieces of a file: strings joined by code, or calls that stand for SQL."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from wardround_sql.parsing.statements import SqlFragment, StatementPart


class Hole(Struct, frozen=True):
    """A value that code puts into the text of a statement.

    Attributes:
        start, end: its place in the text, where ``$1`` stands for it.
        code: the expression as the file has it.
        offset: where that stands in the file.
        safe: whether it is plainly no text from outside: a number, a constant, a list of placeholders.
        outside: whether it plainly is one: what a caller sends, compared with nothing first.
    """

    start: int
    end: int
    code: str
    offset: int
    safe: bool = False
    outside: bool = False


class AssembledText(Struct, frozen=True):
    """A text, where its parts stand in the file, and what is filled in at run time."""

    text: str
    parts: tuple[StatementPart, ...]
    holes: tuple[Hole, ...] = ()

    def fragment(self, *, migrates: bool, modelled: bool = False) -> SqlFragment:
        first = self.parts[0] if self.parts else StatementPart(0, 0)
        if len(self.parts) == 1:
            return SqlFragment(self.text, first.offset, first.width, migrates, (), modelled)
        return SqlFragment(self.text, first.offset, None, migrates, self.parts, modelled)


class SqlAssembler:
    """Puts a text together."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._parts: list[StatementPart] = []
        self._holes: list[Hole] = []
        self._size = 0

    def add(self, text: str, offset: int, width: int | None = None) -> None:
        """Text as the file has it at a place, or that stands for ``width`` characters there."""
        if text:
            self._parts.append(StatementPart(self._size, offset, width))
            self._pieces.append(text)
            self._size += len(text)

    def hole(self, code: str, offset: int, *, safe: bool = False, outside: bool = False) -> None:
        start = self._size
        self.add("$1", offset, max(len(code.split("\n", 1)[0]), 1))
        self._holes.append(Hole(start, self._size, code, offset, safe, outside))

    def take(self, other: AssembledText) -> None:
        """Another text behind what is there."""
        base = self._size
        self._parts += [StatementPart(part.start + base, part.offset, part.width) for part in other.parts]
        self._holes += [replace(one, start=one.start + base, end=one.end + base) for one in other.holes]
        self._pieces.append(other.text)
        self._size += len(other.text)

    def copy(self, other: AssembledText, start: int, end: int) -> None:
        """A stretch of another text, with the places of its parts and its holes."""
        base = self._size - start
        for part, after in zip(
            other.parts, [*(p.start for p in other.parts[1:]), len(other.text)], strict=True
        ):
            first, last = max(part.start, start), min(after, end)
            if first < last:
                offset = part.offset if part.width is not None else part.offset + first - part.start
                self.add(other.text[first:last], offset, part.width)
        self._holes += [
            replace(one, start=one.start + base, end=one.end + base)
            for one in other.holes
            if start <= one.start < end
        ]

    def text(self) -> AssembledText:
        return AssembledText("".join(self._pieces), tuple(self._parts), tuple(self._holes))


class Discarded(Struct, frozen=True):
    """A call that narrows the statement under a name, and whose result nobody takes; its place in the
    file.
    """

    start: int
    end: int
    name: str
    call: str


class CallNames(Struct, frozen=True):
    """What a file in another language has of SQL.

    Attributes:
        fragments: the SQL in it, in order.
        built: the texts given to a database that have holes, whether or not they are read as SQL.
        discarded: narrowed statements that nobody takes.
    """

    fragments: tuple[SqlFragment, ...] = ()
    built: tuple[AssembledText, ...] = ()
    discarded: tuple[Discarded, ...] = ()


def quoted(name: str) -> str:
    """A name as SQL has it, whatever stands in it."""
    return '"' + name.replace('"', "") + '"'


def listed(names: Iterable[str]) -> str:
    """Names as a list of columns."""
    return ", ".join(quoted(name) for name in names)


def every_row(verb: str, table: str, columns: list[str]) -> str:
    """An UPDATE or DELETE of every row, as SQL that is read and never run."""
    if verb != "update":
        return " ".join(("DELETE FROM", quoted(table)))
    return " ".join(
        ("UPDATE", quoted(table), "SET", ", ".join(f"{quoted(c)} = null" for c in columns or ["?"]))
    )


def side_by_side(first: str, second: str) -> str:
    """Two tables that nothing connects."""
    return " ".join(("SELECT 1 FROM", f"{quoted(first)},", quoted(second)))


def undone(table: str) -> str:
    """A table that comes in by LEFT JOIN, and that WHERE compares."""
    name = quoted(table)
    return " ".join(("SELECT 1 FROM a LEFT JOIN", name, "ON", f"{name}.k = a.k WHERE {name}.x = 1"))


def limited(*, single: bool) -> str:
    """A query without an order, of one row or of some."""
    return " ".join(("SELECT a FROM t LIMIT", "1" if single else "10"))


def excluded(column: str, table: str) -> str:
    """NOT IN over a column of a table."""
    return " ".join(("SELECT 1 FROM a WHERE b NOT IN (SELECT", quoted(column), "FROM", f"{quoted(table)})"))
