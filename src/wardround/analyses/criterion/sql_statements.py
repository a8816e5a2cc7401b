"""The SQL statements that a change adds, and their clauses about a column."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from wardround.analyses.criterion.added_code import AddedCode, LiveLine
from wardround.lazy import LazyPattern

_DOWN = LazyPattern(r"\s*--\s*(?:migrate:down|\+goose down|\+migrate down|rollback)", re.IGNORECASE)
"""The comment after which a file of some migration tools has the way back."""
_HEADER = LazyPattern(
    r"\s*(?:create (?:(?:global|local|temp|temporary|unlogged) ){0,2}table (?:if not exists )?[^\s(]+\s*\(|"
    r"alter table (?:if exists )?(?:only )?\S+)"
)
_PIECE = LazyPattern(r"'(?:[^']|'')*'|[(),]|[^'(),]+|'")
_STRING = LazyPattern(r"'(?:[^']|'')*'")


class Statement(msgspec.Struct, frozen=True):
    """A statement of an added SQL file, comments excluded."""

    path: str
    lines: tuple[LiveLine, ...]

    @property
    def text(self) -> str:
        """Its lines in lower case."""
        return "\n".join(line.code for line in self.lines)

    @property
    def bare(self) -> str:
        """The same without the contents of strings, on one line."""
        return " ".join(" ".join(line.bare for line in self.lines).split())


def statements_of(code: AddedCode) -> list[Statement]:
    """Split the live lines at semicolons and at gaps between added lines."""
    found: list[Statement] = []
    lines: list[LiveLine] = []
    down = next((line.number for line in code.source.added if _DOWN.match(line.text)), None)
    for line in code.effective:
        if down is not None and line.number > down:
            break
        if lines and line.number > lines[-1].number + 1 and not _is_open(lines):
            found.append(Statement(code.source.path, tuple(lines)))
            lines = []
        lines.append(line)
        if line.bare.rstrip().endswith(";"):
            found.append(Statement(code.source.path, tuple(lines)))
            lines = []
    return [*found, Statement(code.source.path, tuple(lines))] if lines else found


def _is_open(lines: Sequence[LiveLine]) -> bool:
    text = "".join(line.bare for line in lines)
    return text.count("(") > text.count(")")


def about_columns(statement: Statement, names: Sequence[str]) -> Statement:
    """Return a ``CREATE TABLE`` or ``ALTER TABLE`` without its clauses about other columns.

    Other statements, and those whose clauses contain none of the names, are returned unchanged.
    """
    text = " ".join(" ".join(line.code for line in statement.lines).split())
    header = _HEADER.match(text)
    if header is None:
        return statement
    clauses = list(_clauses(text[header.end() :]))
    columns = [name for name in names if not _has_word(name, header[0])]
    chosen = [clause for clause in clauses if any(_has_word(name, _bare(clause)) for name in columns)]
    if not chosen:
        return statement
    text = f"{header[0]} {', '.join(chosen)}"
    return Statement(statement.path, (LiveLine(statement.lines[0].number, text, _bare(text), text),))


def _clauses(text: str) -> Iterator[str]:
    """Split at the commas outside of parentheses; the parenthesis of the header may end within."""
    clause, depth = "", 0
    for piece in _PIECE.findall(text):
        depth += {"(": 1, ")": -1}.get(piece, 0)
        if piece == "," and depth <= 0:
            yield clause
            clause = ""
        else:
            clause += piece
    yield clause


def _has_word(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _bare(text: str) -> str:
    return _STRING.sub("\x00", text)
