"""Columns in bytes and UTF-16 units are those of the line at the head."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from wardround.reports.head_lines import HeadLines, utf8_widths, utf16_widths

TEXT = "plain = 1\né = 2\n𐐀b = 3\n\udcff = 4"


def _text_of(path: str) -> str | None:
    return TEXT if path == "a.py" else None


@pytest.mark.parametrize(
    ("widths", "expected"),
    [(utf8_widths, [1, 5, 10, 3, 5, 6, 1]), (utf16_widths, [1, 5, 10, 2, 3, 4, 1])],
    ids=["utf-8", "utf-16"],
)
def test_a_column_counts_the_units_before_it(widths: Callable[..., object], expected: list[int]) -> None:
    places = [(1, 1), (1, 5), (1, 10), (2, 2), (3, 2), (3, 3), (4, 1)]
    lines = HeadLines(_text_of, widths)  # type: ignore[arg-type]
    assert [lines.column("a.py", *place) for place in places] == expected


def test_a_column_behind_the_line_stays_behind_it() -> None:
    assert HeadLines(_text_of, utf8_widths).column("a.py", 2, 9) == 10


def test_there_is_no_column_without_the_line() -> None:
    lines = HeadLines(_text_of, utf8_widths)
    assert lines.column("gone.py", 1, 1) is None
    assert lines.column("a.py", 5, 1) is None
    assert lines.column("a.py", 2, 2) == 3


def test_the_widths_of_a_long_line_are_counted_once() -> None:
    counted: list[str] = []

    def widths(line: str) -> None:
        counted.append(line)

    lines = HeadLines(lambda path: f"{path}\nshort", widths)
    for _ in range(100):
        lines.column("a", 1, 7)
        lines.column("a", 2, 1)
    lines.column("b", 1, 1)
    assert counted == ["a", "short", "b"]
