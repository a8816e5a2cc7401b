"""A file as segments: every line with text is in exactly one of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from wardround.authoring.context.base_tree import lines_of
from wardround.authoring.context.segments import Segment, segments

PYTHON = '''\
"""Rows."""

import csv

LIMIT = 3


class Reader:
    """Reads rows, one after the other."""

    size = 1

    # The next row.
    @property
    def row(self):
        def inner():
            return 1

        return inner()

    def close(self):
        self.file.close()
''' + "\n".join(f"    value_{n} = {n}" for n in range(12))
SCRIPT = """\
export class Store {
  get(key) {
    return this.map.get(key);
  }

  set(key, value) {
    this.map.set(key, value);
    this.emit();
    this.emit();
    this.emit();
    this.emit();
    this.emit();
    this.emit();
    this.emit();
    this.emit();
    this.emit();
    this.emit();
    this.emit();
    this.emit();
    this.emit();
    this.emit();
    this.emit();
    this.emit();
    this.emit();
  }
}
"""


def _names(path: str, text: str) -> list[tuple[int, int, str, bool]]:
    return [
        (found.first_line, found.last_line, found.symbol, found.is_function) for found in segments(path, text)
    ]


def test_functions_have_their_decorators_and_comments_and_inner_functions() -> None:
    assert _names("rows.py", PYTHON) == [
        (1, 5, "", False),
        (8, 11, "Reader", False),
        (13, 19, "Reader.row", True),
        (21, 22, "Reader.close", True),
        (23, 34, "Reader", False),
    ]


def test_methods_of_scripts_are_segments_of_their_own() -> None:
    functions = [name for *_, name, is_function in _names("store.ts", SCRIPT) if is_function]
    assert functions == ["Store.get", "Store.set"]


def test_a_short_class_is_one_segment() -> None:
    assert _names("a.py", "class A:\n    def b(self):\n        pass\n") == [(1, 3, "A", True)]


def test_long_text_without_functions_is_split_at_blank_lines() -> None:
    text = "\n".join("" if number % 10 == 0 else f"key{number} = 1" for number in range(1, 101))
    found = segments("settings.toml", text)
    assert [(segment.first_line, segment.last_line) for segment in found] == [(1, 39), (41, 79), (81, 99)]


@pytest.mark.parametrize("text", ["", "\n\n", "x", "def f():\n", "class A:", "}\n}\n", "\tdef f(): ...\nx\n"])
def test_a_file_of_any_form_has_segments_without_overlap(text: str) -> None:
    _check_cover("a.py", text)
    _check_cover("a.ts", text)


@pytest.mark.parametrize(
    "path",
    sorted(Path(__file__).parents[3].joinpath("src/wardround/retrieval").glob("*.py")),
    ids=lambda p: p.name,
)
def test_every_line_with_text_is_in_one_segment(path: Path) -> None:
    _check_cover(path.name, path.read_text("utf-8"))


def _check_cover(path: str, text: str) -> None:
    lines = lines_of(text)
    found: list[Segment] = segments(path, text)
    numbers = [n for segment in found for n in range(segment.first_line, segment.last_line + 1)]
    assert numbers == sorted(set(numbers))
    assert {n for n, line in enumerate(lines, 1) if line.strip()} <= set(numbers)
    assert all(number <= len(lines) for number in numbers)
