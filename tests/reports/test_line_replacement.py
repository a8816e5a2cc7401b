"""The edits of a fix become new text of whole lines, or nothing."""

from __future__ import annotations

import pytest

from wardround.findings import Edit, Span
from wardround.reports import line_replacement
from wardround.reports.line_replacement import LineReplacement

LINES = ("import os", "x = [1, 2]", "y = {}", "z = (", "    1,", ")", "")


def replaced(*edits: tuple[tuple[int, int, int, int], str]) -> LineReplacement | None:
    made = [Edit("a.py", Span(*place), text) for place, text in edits]
    return line_replacement.line_replacement(LINES, made)


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([((3, 5, 3, 7), "None")], LineReplacement(3, 3, "y = None")),
        ([((2, 1, 2, 1), "import re\n")], LineReplacement(2, 2, "import re\nx = [1, 2]")),
        ([((1, 1, 2, 1), "")], LineReplacement(1, 1, "")),
        ([((1, 1, 2, 1), "import re\n")], LineReplacement(1, 1, "import re")),
        ([((4, 5, 6, 2), "1")], LineReplacement(4, 6, "z = 1")),
        ([((2, 6, 2, 7), "3"), ((3, 5, 3, 7), "None")], LineReplacement(2, 3, "x = [3, 2]\ny = None")),
        ([((2, 11, 3, 1), "; ")], LineReplacement(2, 3, "x = [1, 2]; y = {}")),
    ],
    ids=["span", "insertion", "deletion", "line", "lines", "two edits", "join"],
)
def test_edits_become_whole_lines(
    edits: list[tuple[tuple[int, int, int, int], str]], expected: LineReplacement
) -> None:
    assert replaced(*edits) == expected


@pytest.mark.parametrize(
    "edits",
    [
        [],
        [((9, 1, 9, 2), "x")],
        [((1, 1, 1, 7), "from"), ((3, 5, 3, 7), "None")],
        [((3, 1, 3, 7), "")],
        [((2, 1, 2, 5), "a"), ((2, 3, 2, 6), "b")],
        [((1, 1, 1, 2), "i" * (line_replacement.MAX_CHARACTERS + 1))],
    ],
    ids=["none", "outside", "a gap", "an empty line", "overlap", "long text"],
)
def test_edits_that_a_consumer_would_apply_wrongly_are_left_out(
    edits: list[tuple[tuple[int, int, int, int], str]],
) -> None:
    assert replaced(*edits) is None


def test_a_long_block_is_left_out() -> None:
    lines = ["x"] * (line_replacement.MAX_LINES + 1)
    edit = Edit("a.py", Span(1, 1, len(lines), 2), "y")
    assert line_replacement.line_replacement(lines, [edit]) is None


def test_the_end_of_a_line_of_windows_stays() -> None:
    found = line_replacement.line_replacement(["a = 1\r", "b\r", ""], [Edit("a", Span(1, 5, 1, 6), "2")])
    assert found == LineReplacement(1, 1, "a = 2")
