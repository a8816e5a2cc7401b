"""The code around a changed symbol: its users, the code that it uses, and similar code elsewhere."""

from __future__ import annotations

import msgspec


class Place(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """A line of the reviewed tree, and the qualified name of the symbol there; empty for a module."""

    path: str
    line: int
    symbol: str


class SymbolNeighbours(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """A symbol of the head with changed lines, and its neighbours; lines are 1-based and inclusive.

    Scopes and imports lead to callers, callees and examples; equal names alone do not suffice.

    Attributes:
        symbol: the qualified name; empty for the code of a file outside its definitions.
        hunks: the first and last changed line of each hunk in it.
        callers: the lines that use it.
        callees: the definitions that it uses.
        siblings: the definitions of the same kind next to it, and those of the same name elsewhere.
        similar: the functions with similar syntax.
        examples: lines elsewhere that use the same definitions.
    """

    path: str
    line: int
    end_line: int
    symbol: str
    hunks: tuple[tuple[int, int], ...]
    callers: tuple[Place, ...] = ()
    callees: tuple[Place, ...] = ()
    siblings: tuple[Place, ...] = ()
    similar: tuple[Place, ...] = ()
    examples: tuple[Place, ...] = ()
