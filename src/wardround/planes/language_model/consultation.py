"""The result of a consultation of a language model."""

from __future__ import annotations

import msgspec

from wardround.findings import RawFinding
from wardround.planes.evidence import Exchange


class Consultation(msgspec.Struct, frozen=True):
    """The part of a language model in a review.

    Attributes:
        results: the code of each is its plane.
        notes: sentences for people.
    """

    results: tuple[RawFinding, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    notes: tuple[str, ...] = ()
