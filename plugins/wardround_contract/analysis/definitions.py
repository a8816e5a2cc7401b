"""The definitions that a change removes from the files that it touches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wardround.checks.source import ChangedFileView, ChangeView
from wardround.context.code_graph.extraction import language_of, read_file
from wardround.context.code_graph.model import FileFacts, Symbol, SymbolKind
from wardround_contract.analysis.uses import NOT_MAINTAINED

_MOST_REMOVED = 60
"""Removed definitions of one file; a change that removes more replaces the file."""
_LONGEST_TEXT = 400_000
_OWNERS = frozenset({SymbolKind.CLASS, SymbolKind.TYPE, SymbolKind.MODULE, SymbolKind.COMPONENT})


class FileVersions(NamedTuple):
    """The facts of a changed file before and after; ``head`` has no symbols if it was deleted."""

    file: ChangedFileView
    base: FileFacts
    head: FileFacts


class RemovedDefinition(NamedTuple):
    """A definition of the base that the head does not have in the same file."""

    sides: FileVersions
    symbol: Symbol


def sides_of(change: ChangeView) -> Iterator[FileVersions]:
    """Yield the facts of each changed source file that existed before."""
    for file in change.files:
        path, text = file.base_path, file.base_text
        if path is None or text is None or not language_of(path) or not _is_readable(file):
            continue
        base = read_file(path, text.encode()).facts
        head = FileFacts(file.path) if file.text is None else read_file(file.path, file.text.encode()).facts
        if not base.problem and not head.problem:
            yield FileVersions(file, base, head)


def _is_readable(file: ChangedFileView) -> bool:
    texts = (file.base_text or "", file.text or "")
    is_small = all(len(text) <= _LONGEST_TEXT for text in texts)
    return is_small and texts[0] != texts[1] and not NOT_MAINTAINED.search(file.path)


def removed_definitions(sides: FileVersions) -> Sequence[RemovedDefinition]:
    """Return the members and top-level definitions that a file loses, in source order."""
    present = {symbol.name for symbol in sides.head.symbols}
    kinds = {symbol.name: symbol.kind for symbol in sides.base.symbols}
    found = [
        RemovedDefinition(sides, symbol)
        for symbol in sides.base.symbols[1:]
        if symbol.name not in present and kinds.get(symbol.owner_name) in _OWNERS
    ]
    return found if len(found) <= _MOST_REMOVED else ()
