"""A breaking change of a published surface, with its declarations at base and head."""

from __future__ import annotations

import msgspec

from wardround.context.surface.model import SurfaceChange
from wardround.release_notes.surfaces.attribution import Search
from wardround.release_notes.surfaces.declaration import ABSENT, Declaration
from wardround.release_notes.surfaces.signature_change import SignatureChange

REMOVED = "is removed"


class SurfaceBreak(msgspec.Struct, frozen=True):
    """A breaking change.

    Attributes:
        symbol: as users write it.
        own_name: the last part of the symbol, as the file has it.
        search: how its commits are found.
        signature: what callers change; None for anything but a function that is still there.
        qualified: the name in its Python module; empty if it is a module, or not Python.
    """

    change: SurfaceChange
    symbol: str
    own_name: str
    search: Search
    base: Declaration = ABSENT
    head: Declaration = ABSENT
    signature: SignatureChange | None = None
    qualified: str = ""

    @property
    def is_removal(self) -> bool:
        """True if nothing is left of the symbol."""
        return self.change.detail == REMOVED
