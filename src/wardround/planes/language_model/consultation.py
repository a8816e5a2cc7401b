"""The result of a consultation of a language model."""

from __future__ import annotations

from pathlib import Path

import msgspec

from wardround.config.request import ReviewRequest
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


def exchange_folder(request: ReviewRequest) -> Path:
    """Return the folder of an exchange of files: the requested one, or one outside of every repository."""
    return state_dir() / "exchange" if request.exchange is None else request.exchange
