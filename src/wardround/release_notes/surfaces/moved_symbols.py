"""Public symbols that a range moves or renames without another change of their body."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from msgspec.structs import replace

from wardround.change.change_source import FileTexts, GitChangeSource
from wardround.change.diff import ChangedFile
from wardround.context.code_graph.symbol_moves import SymbolMove, find_moves
from wardround.context.surface.packages import UNPUBLISHED
from wardround.context.surface.python_difference import INTERNAL
from wardround.release_notes.surfaces.public_names import module_parts
from wardround.release_notes.surfaces.surface_break import SurfaceBreak

_SUFFIXES = (".py", ".ts", ".tsx", ".mts", ".js", ".mjs", ".jsx")


@dataclass(frozen=True)
class MovedSymbols:
    """The moves of a range, found on first use."""

    source: GitChangeSource

    def new_name(self, found: SurfaceBreak) -> str:
        """Return the name that users write instead of a removed symbol; empty if its body is not moved."""
        move = self._moves.get((found.change.path, found.qualified or found.symbol))
        if move is None or INTERNAL.search(f"{move.path.rpartition('.')[0]}.{move.name}"):
            return ""
        if move.path == found.change.path:
            return f"{_owner(found.symbol)}{_last(move.name)}"
        return _imported_name(found, move) if move.path.endswith(".py") else ""

    @cached_property
    def _moves(self) -> Mapping[tuple[str, str], SymbolMove]:
        texts = FileTexts(self.source, self.source.change)
        change = self.source.change
        published = replace(change, files=tuple(_publishable(change.files)))
        moves = find_moves(published, lambda file, base: texts.readable(file.path, base=base))
        return {(move.base_path, move.base_name): move for move in moves if _is_same(move)}


def _publishable(files: Iterable[ChangedFile]) -> Iterable[ChangedFile]:
    return (file for file in files if file.path.endswith(_SUFFIXES) and not UNPUBLISHED.search(file.path))


def _is_same(move: SymbolMove) -> bool:
    """Return True if the body is the same, or most of it under the same name."""
    return move.is_pure or _last(move.name) == _last(move.base_name)


def _imported_name(found: SurfaceBreak, move: SymbolMove) -> str:
    """Return the dotted path of a moved object; empty if its package is another one."""
    package, module = found.change.name.partition(".")[0], module_parts(move.path)
    if package not in module:
        return ""
    return ".".join((*module[module.index(package) :], move.name))


def _owner(symbol: str) -> str:
    owner = symbol.rpartition(".")[0]
    return f"{owner}." if owner else ""


def _last(name: str) -> str:
    return name.rpartition(".")[2]
