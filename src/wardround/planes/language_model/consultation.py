"""The result of a consultation of a language model."""

from __future__ import annotations

from pathlib import Path

import msgspec

from wardround.findings import RawFinding
from wardround.planes.evidence import Exchange
from wardround.storage.paths import state_dir


class Consultation(msgspec.Struct, frozen=True):
    """The part of a language model in a review.

    Attributes:
        results: the code of each is its plane.
        notes: sentences for people.
    """

    results: tuple[RawFinding, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    notes: tuple[str, ...] = ()


def folder_of_exchange(requested: Path | None) -> Path:
    """Return the folder of a file exchange: the requested one, or one outside of every repository."""
    return requested or state_dir() / "exchange"
