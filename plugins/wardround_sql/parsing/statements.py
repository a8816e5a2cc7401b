"""Statements of an SQL text: split, parsed one by one, each with its location."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache

from msgspec import Struct, field
from msgspec.structs import replace

from wardround.lazy import LazyPattern
from wardround.text.line_index import LineIndex
from wardround_sql.parsing.jinja import is_template, pad_placeholders, replace_jinja
from wardround_sql.parsing.pg_nodes import (
    Node,
    content,
    is_select,
    is_too_deep,
    option,
    text_of,
    unwrap,
    walk,
)
from wardround_sql.parsing.splitter import SqlComment, SqlPiece, blank_batch_ends, cut

_DOWN = LazyPattern(
    r"--\s*(?:\+goose\s+Down|\+migrate\s+Down|migrate:down|@down|!Downs|@?UNDO\b|Down\s+Migration)",
    re.IGNORECASE,
)
_UP = LazyPattern(r"--\s*(?:\+goose\s+Up|\+migrate\s+Up|migrate:up|@up|!Ups|Up\s+Migration)", re.IGNORECASE)
_DEFINES = LazyPattern(
    r"(?:create\s+(?!(?:or\s+replace\s+)?(?:function|procedure)\b)|(?:alter|drop|grant|revoke|do)\b)",
    re.IGNORECASE,
)
_MAKES_FUNCTION = LazyPattern(
    r"create\s+(?:or\s+replace\s+)?(?:function|procedure)\s+(?:\"?\w+\"?\s*\.\s*)?\"?(\w+)\"?\s*\(",
    re.IGNORECASE,
)
_BODY_LIMIT = 200_000
"""Characters of a statement above which function bodies are not parsed."""


class StatementPart(Struct, frozen=True):
    """Location in the file of a fragment's text from ``start`` on; see ``SqlFragment``."""

    start: int
    offset: int
    width: int | None = None


class SqlFragment(Struct, frozen=True):
    """SQL text inside a file.

    Attributes:
        offset: its start in the file, in code points.
        width: the number of characters of the file it represents, if its text is not a section of the file.
        migrates: whether the surrounding code is a migration.
        parts: the locations of its parts, if it is assembled from several; sorted, the first at 0.
        maybe_null: offsets of placeholders whose value may be NULL.
        modelled: whether it is derived from the code of an ORM.
    """

    text: str
    offset: int = 0
    width: int | None = None
    migrates: bool = False
    parts: tuple[StatementPart, ...] = ()
    modelled: bool = False
    maybe_null: tuple[int, ...] = ()

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Return the location in the file of a section of the text, in code points."""
        position = bisect.bisect_right(self.parts, start, key=lambda part: part.start) - 1
        part = self.parts[position] if self.parts else StatementPart(0, self.offset, self.width)
        if part.width is not None:
            return part.offset, part.offset + part.width
        first = part.offset + start - part.start
        rest = self.parts[position + 1].start if position + 1 < len(self.parts) else end
        return first, first + min(end, max(rest, start)) - start


class Statement(Struct, frozen=True, eq=False, dict=True):
    """One parsed statement.

    Attributes:
        kind: the name of its node in libpg_query's tree: ``CreateStmt``.
        text: its source, from its first word.
        offset: offset of the statement in its fragment, in code points.
        down: whether it belongs to the rollback of a migration.
        outer: the statement whose body contains it; None at the top level.
        path: path of the file that has the text.
    """

    kind: str
    node: Node
    text: str
    offset: int
    fragment: SqlFragment
    down: bool = False
    outer: Statement | None = None
    path: str = ""

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """Every dictionary of the tree, in the order of ``walk``."""
        return tuple(walk(self.node))

    @cached_property
    def selects(self) -> tuple[Node, ...]:
        """Contents of every SELECT, including subqueries and both operands of a UNION."""
        return tuple(node for node in self.nodes if is_select(node))

    @cached_property
    def _kinds(self) -> dict[str, list[Node]]:
        result: dict[str, list[Node]] = {}
        for node in self.nodes:
            for key, value in node.items():
                if isinstance(value, dict):
                    result.setdefault(key, []).append(value)
        return result

    def kinds(self, kind: str) -> Sequence[Node]:
        """Return the contents of every node of one kind, roughly in source order."""
        return self._kinds.get(kind, ())

    def point(self, location: int | None) -> int:
        """Convert a byte-based position of the tree to a character offset in ``text``."""
        if not location or self.text.isascii():
            return location or 0
        return len(self.text.encode()[:location].decode("utf-8", "replace"))


class Unparsed(Struct, frozen=True):
    """Statement that the parser rejects, and the offset at which it stopped."""

    text: str
    offset: int
    fragment: SqlFragment
    message: str
    point: int


class Parsed(Struct, frozen=True):
    """Parse result of one SQL text."""

    statements: tuple[Statement, ...]
    unparsed: tuple[Unparsed, ...]
    remarks: tuple[SqlComment, ...]
    template: bool


def parsed_about(text: str, path: str, names: tuple[str, ...]) -> tuple[Statement, ...]:
    """Return the statements of a file of the same set about some names; the others are not parsed."""
    sibling, named = _split_sibling(text, path), _pattern_of_names(names)
    found: list[Statement] = []
    for number, piece in enumerate(sibling.pieces):
        defines = sibling.defines[number] and named.search(piece.text)
        if (defines or _creates_any(piece.text, names)) and not _is_down(sibling.turns, piece.offset):
            found += sibling.statements(number)
    return tuple(found)


class _Sibling(Struct):
    """File of the same set, split into statements that are parsed on request."""

    path: str
    fragment: SqlFragment
    pieces: list[SqlPiece]
    turns: list[tuple[int, bool]]
    defines: list[bool]
    parsed: dict[int, tuple[Statement, ...]] = field(default_factory=dict)

    def statements(self, number: int) -> tuple[Statement, ...]:
        """Return the statements of a piece, including those of a DO block; none if it does not parse."""
        if number not in self.parsed:
            piece = self.pieces[number]
            result: tuple[Statement, ...] = ()
            node, _error = _node(piece.text)
            if node is not None:
                kind, inside = unwrap(node)
                item = Statement(kind, inside, piece.text, piece.offset, self.fragment, path=self.path)
                result = (item, *(_inner(item) if kind == "DoStmt" else ()))
            self.parsed[number] = result
        return self.parsed[number]


def _split_sibling(text: str, path: str) -> _Sibling:
    """Split a file; memoised, since the files of a set and both versions of a change share siblings."""
    return _short_sibling(text, path) if len(text) <= _SHORT else _long_sibling(text, path)


def _read_sibling(text: str, path: str) -> _Sibling:
    fragment = SqlFragment(replace_jinja(text) if is_template(text) else text, migrates=True)
    pieces, remarks = cut(fragment.text)
    defines = [_DEFINES.match(piece.text) is not None for piece in pieces]
    return _Sibling(path, fragment, pieces, _turns(remarks), defines)


_SHORT = 2000
"""Characters of a file up to which thousands of them can be cached."""
_short_sibling = lru_cache(maxsize=4096)(_read_sibling)
_long_sibling = lru_cache(maxsize=256)(_read_sibling)


@lru_cache(maxsize=16)
def _pattern_of_names(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(rf"\b{re.escape(name)}\b" for name in names), re.IGNORECASE)


def _creates_any(text: str, names: tuple[str, ...]) -> bool:
    """Return True if a statement creates a function of one of these names; mentions do not count."""
    result = _MAKES_FUNCTION.match(text)
    return result is not None and (result[1] in names or result[1].lower() in names)


@lru_cache(maxsize=64)
def parse_fragment(fragment: SqlFragment, path: str) -> Parsed:
    """Parse a fragment; memoised, since several checks parse it, at base and head."""
    template = is_template(fragment.text)
    text = replace_jinja(fragment.text) if template else fragment.text
    pieces, remarks = cut(text)
    turns = _turns(remarks)
    good: list[Statement] = []
    bad: list[Unparsed] = []
    for piece in pieces:
        node, error = _node(piece.text)
        if node is None:
            message, point = error
            bad.append(Unparsed(piece.text, piece.offset, fragment, message, point))
            continue
        kind, inside = unwrap(node)
        down = _is_down(turns, piece.offset)
        statement = Statement(kind, inside, piece.text, piece.offset, fragment, down, None, path)
        good += [statement, *_inner(statement)]
    return Parsed(tuple(good), tuple(bad), tuple(remarks), template)


def _turns(remarks: list[SqlComment]) -> list[tuple[int, bool]]:
    """Yield the offsets at which a rollback section begins or ends."""
    result = []
    for remark in remarks:
        if _DOWN.match(remark.text):
            result.append((remark.offset, True))
        elif _UP.match(remark.text):
            result.append((remark.offset, False))
    return result


def lines_down(text: str) -> frozenset[int]:
    """Return the lines, 1-based, of the rollback section of a migration: ``-- +goose Down``."""
    if _DOWN.search(text) is None:
        return frozenset()
    turns = _turns(cut(text)[1])
    return frozenset(
        number for number, offset in enumerate(LineIndex(text).starts, 1) if _is_down(turns, offset)
    )


def _is_down(turns: list[tuple[int, bool]], offset: int) -> bool:
    return next((down for position, down in reversed(turns) if position < offset), False)


def _node(text: str) -> tuple[Node | None, tuple[str, int]]:
    """Return the tree of one statement, also with placeholders replaced; else the parser's error."""
    import pgparse  # type: ignore[import-not-found,unused-ignore]

    if "\0" in text:  # the parser would stop here and accept the text so far as complete
        return None, ("there is a NUL byte in it", text.index("\0"))
    error = ("", 0)
    for attempt in (text, pad_placeholders(text)):
        try:
            trees = pgparse.parse(attempt)
        except pgparse.PGQueryError as refused:
            error = error if error[0] else (str(refused.message), max(refused.position - 1, 0))
            continue
        except (ValueError, RecursionError, UnicodeEncodeError) as refused:
            return None, (str(refused) or type(refused).__name__, 0)
        if trees and is_too_deep(trees[0]):
            return None, ("nested too deep", 0)
        return (trees[0]["stmt"], error) if trees else (None, ("nothing in it", 0))
    return None, error


def is_read(text: str) -> bool:
    """Return True if a text is a statement of PostgreSQL."""
    return _node(text)[0] is not None


def _inner(outer: Statement) -> Iterator[Statement]:
    """Yield the statements inside the body of a function or DO block."""
    if outer.kind not in ("CreateFunctionStmt", "DoStmt") or len(outer.text) > _BODY_LIMIT:
        return
    options = outer.node.get("options") if outer.kind == "CreateFunctionStmt" else outer.node.get("args")
    language = text_of(option(options, "language")).lower()
    body = _body(option(options, "as"))
    if body and language == "sql":
        start = outer.text.find(body)
        yield from _sql_body(outer, body, max(start, 0), exact=start >= 0)
    elif body and language in ("plpgsql", ""):
        yield from _plpgsql_body(outer, body)


def _body(argument: object) -> str:
    """Return the text of a function's body."""
    node = content(argument, "List")
    return text_of(node["items"][0]) if node and node.get("items") else text_of(argument)


def _sql_body(outer: Statement, body: str, start: int, *, exact: bool) -> Iterator[Statement]:
    pieces, _ = cut(body)
    for piece in pieces:
        node, _error = _node(piece.text)
        if node is not None:
            kind, inside = unwrap(node)
            position = outer.offset + (start + piece.offset if exact else 0)
            yield replace(outer, kind=kind, node=inside, text=piece.text, offset=position, outer=outer)


def _plpgsql_body(outer: Statement, body: str) -> Iterator[Statement]:
    """Yield the statements of a PL/pgSQL body; queries in expressions are skipped."""
    import pgparse  # type: ignore[import-not-found,unused-ignore]

    try:
        tree = pgparse.parse_pgsql(outer.text)
    except (pgparse.PGQueryError, ValueError, RecursionError):
        return
    start = outer.text.find(body)
    position = max(start, 0)
    yield from _conditions(outer, tree, position)
    for child in walk(tree):
        for kind in ("PLpgSQL_stmt_execsql", "PLpgSQL_stmt_return_query", "PLpgSQL_stmt_dynexecute"):
            result = content(child, kind)
            query = _query(result) if result else ""
            where = _body_offset(query, outer.text, position)
            if where < 0:
                continue
            position = where
            if kind == "PLpgSQL_stmt_dynexecute":
                query, where = query[1:-1] if _LITERAL.fullmatch(query) else "", where + 1
            node = _node(query)[0] if query else None
            if node is not None:
                name, inside = unwrap(node)
                yield replace(
                    outer, kind=name, node=inside, text=query, offset=outer.offset + where, outer=outer
                )


_LITERAL = LazyPattern(r"'[^'\\]*'")
"""Argument of EXECUTE that is a literal statement."""
_INTO = LazyPattern(r" {6,}")


def _body_offset(query: str, text: str, position: int) -> int:
    """Return the offset of a body's query in the source of its function; -1 if it is unknown.

    The parser replaces INTO and its variables by blanks.
    """
    if not query:
        return -1
    where = text.find(query, position)
    blank = _INTO.search(query) if where < 0 else None
    while blank is not None:
        head, rest = query[: blank.start()], query[blank.end() :]
        where = text.find(head, position)
        while where >= 0 and text[where + blank.end() :][: len(rest)] != rest:
            where = text.find(head, where + 1)
        if where >= 0:
            return where
        blank = _INTO.search(query, blank.end())
    return where


CONDITION = "PLpgSQL_condition"
"""Kind of an IF or WHILE condition, whose node and text are those of an equivalent SELECT."""
_SELECT = "SELECT "


def _conditions(outer: Statement, tree: object, position: int) -> Iterator[Statement]:
    """Yield the conditions of IF, ELSIF and WHILE in a PL/pgSQL body."""
    for child in walk(tree):
        for kind in ("PLpgSQL_stmt_if", "PLpgSQL_if_elsif", "PLpgSQL_stmt_while"):
            result = content(child, kind)
            query = str((content((result or {}).get("cond"), "PLpgSQL_expr") or {}).get("query", ""))
            where = outer.text.find(query, position) if query else -1
            node = _node(_SELECT + query)[0] if where >= len(_SELECT) else None
            if node is not None:
                offset = outer.offset + where - len(_SELECT)
                inside = unwrap(node)[1]
                yield replace(
                    outer, kind=CONDITION, node=inside, text=_SELECT + query, offset=offset, outer=outer
                )


def _query(statement: Node) -> str:
    for name in ("sqlstmt", "query", "expr"):
        expression = content(statement.get(name), "PLpgSQL_expr")
        if expression:
            return str(expression.get("query", ""))
    return ""


def batches(fragment: SqlFragment) -> SqlFragment:
    """Return a fragment with the batch separators of other databases as semicolons."""
    return replace(fragment, text=blank_batch_ends(fragment.text))
