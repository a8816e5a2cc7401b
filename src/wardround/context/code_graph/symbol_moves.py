"""Functions and classes that a change moves or renames, with the edits apart from the move."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from wardround.change.diff import Change, ChangedFile, FileStatus
from wardround.context.code_graph.model import Symbol
from wardround.lazy import LazyPattern

_DEFINES = LazyPattern(r"(?i)\b(?:def|class|function|const|let|interface|type|enum|create)\b|=>")
"""A line that may define a symbol; without one at base and head nothing needs to be parsed."""
_SUFFIXES = ("py", "pyi", "pyw", "ts", "mts", "cts", "tsx", "js", "jsx", "mjs", "cjs")
_MOST_FILES = 200
_LEAST_TOKENS = 12
"""Smaller bodies are alike by chance."""
_SAME_NAME = 0.5
_OTHER_NAME = 0.8
"""The least similarity of two bodies of the same name, and of different names."""


class SymbolMove(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """A symbol that was removed at one position and added at another; lines are 1-based and inclusive.

    Attributes:
        moved_lines: lines at the head that are the same as before apart from their indentation.
        is_pure: nothing but the place and the names of the symbol and its locals differs.
    """

    path: str
    line: int
    end_line: int
    name: str
    kind: str
    base_path: str
    base_line: int
    base_end_line: int
    base_name: str
    moved_lines: tuple[int, ...]
    is_pure: bool


class SideText(msgspec.Struct, frozen=True):
    """The base or head version of a changed file."""

    path: str
    text: str


class ChangedTexts(msgspec.Struct, frozen=True):
    """A changed file at base and head; None where it has no text."""

    file: ChangedFile
    base: SideText | None
    head: SideText | None


def find_moves(change: Change, read: Callable[[ChangedFile, bool], str | None]) -> tuple[SymbolMove, ...]:
    """Find the moved symbols of a change.

    Args:
        read: file, True for the base -> the content; None if there is none.
    """
    from wardround.context.code_graph.extraction import language_of  # with the grammars: 15 ms

    files = [_read_changed(file, read) for file in change.files if language_of(file.path)]
    if len(files) > _MOST_FILES or not _has_candidates(files):
        return ()
    removed_items = [pair for file in files for pair in _symbols(file, base=True)]
    new = [pair for file in files for pair in _symbols(file, base=False)]
    return tuple(sorted(_drop_inner_moves(_match_symbols(removed_items, new))))


def adds_definitions(change: Change, read: Callable[[ChangedFile, bool], str | None]) -> bool:
    """Return True if an added line of a change may define a symbol; without one there is nothing to parse."""
    return any(
        defines_any(read(file, False), file.added_line_numbers)
        for file in change.files
        if file.status is not FileStatus.DELETED and file.path.endswith(_SUFFIXES)
    )


def defines_any(text: str | None, numbers: Callable[[int], Iterator[int]]) -> bool:
    """Return True if one of the lines of a text may define a symbol.

    Args:
        numbers: the number of lines of the text -> the numbers of the lines.
    """
    lines = [] if text is None else text.split("\n")
    return any(_DEFINES.search(lines[number - 1]) for number in numbers(len(lines)))


def _read_changed(file: ChangedFile, read: Callable[[ChangedFile, bool], str | None]) -> ChangedTexts:
    base = read(file, True) if file.base_path is not None and not file.fragment else None
    head = read(file, False) if file.status is not FileStatus.DELETED and not file.fragment else None
    return ChangedTexts(
        file,
        None if base is None else SideText(file.base_path or file.path, base),
        None if head is None else SideText(file.path, head),
    )


def _has_candidates(files: Sequence[ChangedTexts]) -> bool:
    """Return True if the change removes a line that defines something, and adds one."""
    removed, added = False, False
    for file in files:
        base, head = (None if side is None else side.text for side in (file.base, file.head))
        removed = removed or defines_any(base, file.file.removed_line_numbers)
        added = added or defines_any(head, file.file.added_line_numbers)
    return removed and added


class _UnmatchedSymbol(msgspec.Struct, frozen=True):
    """A symbol that only the base or the head version of its file has."""

    symbol: Symbol
    lines: list[str]


def _symbols(texts: ChangedTexts, *, base: bool) -> Iterator[_UnmatchedSymbol]:
    """Return the symbols of base or head whose names the other version of the same file lacks."""
    this, other = (texts.base, texts.head) if base else (texts.head, texts.base)
    if this is None:
        return
    known = {symbol.name for symbol in _read(other)}
    lines = this.text.split("\n")
    for symbol in _read(this):
        if symbol.name not in known and symbol.body_digest and symbol.size >= _LEAST_TOKENS:
            yield _UnmatchedSymbol(symbol, lines[symbol.line - 1 : symbol.end_line])


def _read(side: SideText | None) -> tuple[Symbol, ...]:
    from wardround.context.code_graph.extraction import read_file

    if side is None:
        return ()
    return read_file(side.path, side.text.encode("utf-8", "surrogateescape")).facts.symbols[1:]


def _match_symbols(gone: Sequence[_UnmatchedSymbol], new: Sequence[_UnmatchedSymbol]) -> Iterator[SymbolMove]:
    """Pair the symbols, the most similar first; each takes part once."""
    ranked = sorted(
        (
            (-score, old.symbol, added.symbol, old, added)
            for old in gone
            for added in new
            if (score := _score(old, added))
        ),
        key=lambda entry: entry[:3],
    )
    used: set[Symbol] = set()
    for _, before, after, old, added in ranked:
        if before not in used and after not in used:
            used |= {before, after}
            yield _move(old, added)


def _score(old: _UnmatchedSymbol, added: _UnmatchedSymbol) -> float:
    """Return the similarity of two symbols at different positions; 0 if they are not the same one."""
    from wardround.context.code_graph.normal_form import similarity

    before, after = old.symbol, added.symbol
    if before.kind != after.kind:
        return 0.0
    has_same_name = before.own_name == after.own_name
    if before.body_digest == after.body_digest:
        return 3.0 if has_same_name else 2.0
    alike = similarity(before.shape, after.shape)
    return alike + has_same_name if alike >= (_SAME_NAME if has_same_name else _OTHER_NAME) else 0.0


def _move(old: _UnmatchedSymbol, added: _UnmatchedSymbol) -> SymbolMove:
    before, after = old.symbol, added.symbol
    return SymbolMove(
        after.path,
        after.line,
        after.end_line,
        after.name,
        after.kind.value,
        before.path,
        before.line,
        before.end_line,
        before.name,
        tuple(_moved_lines(old.lines, added.lines, after.line)),
        before.body_digest == after.body_digest,
    )


def _moved_lines(before: Sequence[str], after: Sequence[str], first: int) -> Iterator[int]:
    """Return the numbers of the lines of the head that are those of the base, in order."""
    from difflib import SequenceMatcher  # with its expressions: 2 ms

    old, new = ([line.strip() for line in lines] for lines in (before, after))
    for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        yield from range(first + block.b, first + block.b + block.size)


def _drop_inner_moves(moves: Iterable[SymbolMove]) -> Iterator[SymbolMove]:
    """Return the moves without those of symbols inside a symbol that moved the same way."""
    found = list(moves)
    for move in found:
        if not any(_is_inside(move, other) for other in found):
            yield move


def _is_inside(inner: SymbolMove, outer: SymbolMove) -> bool:
    return (
        inner is not outer
        and (inner.path, inner.base_path) == (outer.path, outer.base_path)
        and outer.line <= inner.line <= inner.end_line <= outer.end_line
        and outer.base_line <= inner.base_line <= inner.base_end_line <= outer.base_end_line
    )
