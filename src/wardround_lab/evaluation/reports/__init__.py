"""The score as text, JSON and one HTML page."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wardround_lab.evaluation.scoring import Score

FORMATS = ("text", "json", "html")


@dataclass(frozen=True, slots=True)
class MeasuredSet:
    """A score and its origin.

    Attributes:
        source: the case file, as it was named.
        settings: the given options.
        seconds: total duration.
        interrupted: the total number of cases, if some were not reached.
    """

    score: Score
    source: str
    settings: Mapping[str, str]
    version: str
    seconds: float
    interrupted: int = 0


def render(form: str, measured: MeasuredSet) -> str:
    """Render the report in one of ``FORMATS``."""
    text: str = importlib.import_module(f"wardround_lab.evaluation.reports.{form}").render(measured)
    return text


def percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}%"


def rate(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, text_last: bool = False) -> list[str]:
    """Render rows under their headings: the first column left-aligned, the others right-aligned.

    Args:
        text_last: the last column is text and left-aligned too.
    """
    widths = [max(len(row[n]) for row in (head, *rows)) for n in range(len(head))]

    def line(cells: Sequence[str]) -> str:
        first = cells[0].ljust(widths[0])
        rest = [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True)]
        if text_last:
            rest[-1] = cells[-1]
        return "  ".join([first, *rest]).rstrip()

    return [line(head), *(line(row) for row in rows)]
