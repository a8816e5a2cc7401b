"""The work that a review may spend on the code graph."""

from __future__ import annotations

from typing import NamedTuple


class UpdateLimit(NamedTuple):
    """The limit of an update.

    Attributes:
        seconds: processor time; an update that takes longer stores its results so far, and the next one
            continues.
        files: the number of files without stored facts above which nothing is read; None for no limit.
    """

    seconds: float
    files: int | None = None
