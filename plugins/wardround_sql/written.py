"""SQL that is put together of pieces of a file: strings joined by code, or calls that stand for SQL."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from wardround_sql.statements import Fragment, Part


class Hole(Struct, frozen=True):
    """A value that code puts into the text of a statement.

    Attributes:
        start, end: its place in the text, where ``$1`` stands for it.
        code: the expression as the file has it.
        offset: where that stands in the file.
        safe: whether it is plainly no text from outside: a number, a constant, a list of placeholders.
    """

    start: int
    end: int
    code: str
    offset: int
    safe: bool = False


class Text(Struct, frozen=True):
    """A text, where its parts stand in the file, and what is filled in at run time."""

    text: str
    parts: tuple[Part, ...]
    holes: tuple[Hole, ...] = ()

    def fragment(self, *, migrates: bool, modelled: bool = False) -> Fragment:
        first = self.parts[0] if self.parts else Part(0, 0)
        if len(self.parts) == 1:
            return Fragment(self.text, first.offset, first.width, migrates, (), modelled)
        return Fragment(self.text, first.offset, None, migrates, self.parts, modelled)


class Writer:
    """Puts a text together."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._parts: list[Part] = []
        self._holes: list[Hole] = []
        self._size = 0

    def add(self, text: str, offset: int, width: int | None = None) -> None:
        """Text as the file has it at a place, or that stands for ``width`` characters there."""
        if text:
            self._parts.append(Part(self._size, offset, width))
            self._pieces.append(text)
            self._size += len(text)

    def hole(self, code: str, offset: int, *, safe: bool = False) -> None:
        start = self._size
        self.add("$1", offset, max(len(code.split("\n", 1)[0]), 1))
        self._holes.append(Hole(start, self._size, code, offset, safe))

    def take(self, other: Text) -> None:
        """Another text behind what is there."""
        base = self._size
        self._parts += [Part(part.start + base, part.offset, part.width) for part in other.parts]
        self._holes += [
            Hole(one.start + base, one.end + base, one.code, one.offset, one.safe) for one in other.holes
        ]
        self._pieces.append(other.text)
        self._size += len(other.text)

    def text(self) -> Text:
        return Text("".join(self._pieces), tuple(self._parts), tuple(self._holes))


class Calls(Struct, frozen=True):
    """What a file in another language has of SQL.

    Attributes:
        fragments: the SQL in it, in order.
        built: the texts given to a database that have holes, whether or not they are read as SQL.
    """

    fragments: tuple[Fragment, ...] = ()
    built: tuple[Text, ...] = ()


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
