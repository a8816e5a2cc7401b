"""One page of many rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

import msgspec

Row = TypeVar("Row")


class RowPage(msgspec.Struct, Generic[Row], frozen=True):
    """A page of rows.

    Attributes:
        number: from 1.
        pages: the number of all pages, at least 1.
        total: the number of rows on all pages.
    """

    rows: tuple[Row, ...]
    number: int
    pages: int
    total: int


def page_of_rows(rows: Sequence[Row], number: int, size: int) -> RowPage[Row]:
    """Return a page of rows; of a number that is too small or too large the nearest one."""
    pages = max(1, -(-len(rows) // size))
    number = min(max(1, number), pages)
    start = (number - 1) * size
    return RowPage(tuple(rows[start : start + size]), number, pages, len(rows))
