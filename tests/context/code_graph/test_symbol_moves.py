"""Moved and renamed symbols are recognised, with the edits apart from the move."""

from __future__ import annotations

from pathlib import Path

import pytest

from wardround.change.change_source import PatchChangeSource, decode_any_encoding
from wardround.change.diff import ChangedFile
from wardround.context.code_graph.symbol_moves import SymbolMove, find_moves

TOTAL = "def total(items, tax):\n    net = sum(item.price for item in items)\n    return net + net * tax\n"
LONG = (
    "def charge(account, amount, currency):\n    rate = rates[currency]\n    value = amount * rate + 1\n"
    "    account.balance -= value\n    return account.save(value)\n"
)
REST = "def other(value):\n    return [value, value, value]\n"
CLASS = (
    "class Cart:\n    def __init__(self, items):\n        self.items = list(items)\n\n"
    "    def count(self):\n        return sum(item.count for item in self.items)\n"
)
COMPONENT = (
    "export function Price({ value }) {\n  const text = value.toFixed(2);\n  return <b>{text}</b>;\n}\n"
)


def moves(tmp_path: Path, before: dict[str, str], after: dict[str, str]) -> tuple[SymbolMove, ...]:
    """The moves between two trees."""
    import difflib

    diffs = []
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path, ""), after.get(path, "")
        names = (f"a/{path}" if old else "/dev/null", f"b/{path}" if new else "/dev/null")
        diffs += difflib.unified_diff(old.splitlines(True), new.splitlines(True), *names, n=0)
        if old:
            (tmp_path / path).write_text(old)
    source = PatchChangeSource("".join(diffs), tmp_path)

    def read(file: ChangedFile, base: bool) -> str | None:
        content = source.content(file, base=base)
        return None if content is None else decode_any_encoding(content)

    return find_moves(source.change, read)


def test_a_function_that_moves_to_another_file(tmp_path: Path) -> None:
    (found,) = moves(
        tmp_path, {"a.py": f"{REST}\n\n{TOTAL}", "b.py": REST}, {"a.py": REST, "b.py": f"{REST}\n\n{TOTAL}"}
    )
    assert (found.base_path, found.base_name, found.base_line) == ("a.py", "total", 5)
    assert (found.path, found.name, found.line, found.end_line) == ("b.py", "total", 5, 7)
    assert (found.is_pure, found.moved_lines) == (True, (5, 6, 7))


def test_a_renamed_function_with_renamed_locals_is_a_pure_move(tmp_path: Path) -> None:
    renamed = TOTAL.replace("total", "gross").replace("items", "lines")
    (found,) = moves(tmp_path, {"a.py": TOTAL + REST + CLASS}, {"a.py": REST + CLASS + renamed})
    assert (found.base_name, found.name, found.is_pure) == ("total", "gross", True)


def test_an_edit_in_a_moved_function_is_apart_from_the_move(tmp_path: Path) -> None:
    edited = LONG.replace("+ 1", "+ 2")
    (found,) = moves(tmp_path, {"a.py": LONG + CLASS, "b.py": REST}, {"a.py": CLASS, "b.py": REST + edited})
    assert (found.is_pure, found.moved_lines) == (False, (3, 4, 6, 7))


def test_a_class_moves_with_its_methods(tmp_path: Path) -> None:
    (found,) = moves(tmp_path, {"a.py": CLASS + REST}, {"a.py": REST, "pkg.py": CLASS})
    assert (found.name, found.kind, found.is_pure) == ("Cart", "class", True)


def test_a_deleted_file_is_a_source(tmp_path: Path) -> None:
    (found,) = moves(tmp_path, {"a.py": TOTAL}, {"b.py": f"import os\n\n\n{TOTAL}\nprint(os)\n"})
    assert (found.base_path, found.path, found.line) == ("a.py", "b.py", 4)


def test_a_component_that_moves(tmp_path: Path) -> None:
    (found,) = moves(
        tmp_path,
        {"a.tsx": COMPONENT + "export const x = 1;\n"},
        {"a.tsx": "export const x = 1;\n", "b.tsx": COMPONENT},
    )
    assert (found.base_path, found.path, found.name) == ("a.tsx", "b.tsx", "Price")


@pytest.mark.parametrize(
    "after",
    [
        {
            "a.py": REST,
            "b.py": "def total(path):\n    with open(path) as file:\n        return file.read()\n",
        },
        {"a.py": TOTAL, "b.py": TOTAL},
        {"a.py": REST},
        {"a.py": f"def f(:\n{TOTAL}", "b.py": "\0"},
    ],
    ids=["another function of this name", "a copy", "removed", "not parsed"],
)
def test_what_is_not_a_move(tmp_path: Path, after: dict[str, str]) -> None:
    assert moves(tmp_path, {"a.py": TOTAL}, after) == ()
