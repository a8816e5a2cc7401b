"""The code context of a change: its moved symbols, and the neighbours of those that it modifies."""

from __future__ import annotations

import msgspec

from wardround.context.code_graph.symbol_moves import SymbolMove
from wardround.context.symbol_neighbours import SymbolNeighbours


class CodeContext(msgspec.Struct, frozen=True):
    """The code context of a change.

    Attributes:
        moves: the functions and classes that the change moves or renames.
        neighbours: code near the first symbols that it modifies; empty without a code graph.
    """

    moves: tuple[SymbolMove, ...] = ()
    neighbours: tuple[SymbolNeighbours, ...] = ()
