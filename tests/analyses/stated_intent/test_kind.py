"""A message that states documentation, tests, style or refactoring is compared with the changed code."""

from __future__ import annotations

import difflib

import pytest

from wardround.analyses.stated_intent.kind import KindFile, kind_notes
from wardround.analyses.stated_intent.notes import KindNote
from wardround.change.diff import Hunk

BASE = '''\
import os


def rate(order, country):
    """Return the rate."""
    if order.total > 100:
        return 0.07
    return lookup(country, order.date)
'''


def file(base: str, head: str, path: str = "shop/tax.py", *, is_test: bool = False) -> KindFile:
    matcher = difflib.SequenceMatcher(None, base.split("\n"), head.split("\n"), autojunk=False)
    hunks = tuple(
        Hunk(low + (low != high), high - low, start + (start != end), end - start)
        for tag, low, high, start, end in matcher.get_opcodes()
        if tag != "equal"
    )
    return KindFile(path, base, head, hunks, is_test)


def notes(message: str, *files: KindFile) -> tuple[KindNote, ...]:
    return kind_notes((message,), files)


NEW_GUARD = BASE.replace(
    "    return lookup", "    if order.is_export:\n        return zero_rate(order)\n    return lookup"
)


@pytest.mark.parametrize(
    ("message", "stated"),
    [
        ("docs: describe rates", "documentation"),
        ("Update the readme", "documentation"),
        ("test: cover rates", "tests"),
        ("Add tests for rates", "tests"),
        ("style: layout of code", ""),
        ("Run black", "style"),
        ("Fix typo", "a typo"),
        ("ci: cache wheels", "CI"),
        ("Add export rates", ""),
        ("docs: describe rates and fix exports", ""),
        ("docs!: describe rates", ""),
    ],
)
def test_new_code_is_noted_where_the_message_states_another_kind(message: str, stated: str) -> None:
    found = notes(message, file(BASE, NEW_GUARD))

    assert [note.stated for note in found] == ([stated] if stated else [])


def test_the_note_names_the_first_line_whose_code_is_new() -> None:
    (note,) = notes("docs: describe rates", file(BASE, NEW_GUARD))

    assert (note.file, note.line) == ("shop/tax.py", 8)
    assert "words of code differ" in note.reason


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param(BASE, BASE.replace("the rate.", "the rate as a share of 1."), id="docstring"),
        pytest.param(BASE, BASE.replace("        return 0", "        # why\n        return 0"), id="comment"),
        pytest.param(BASE, "import sys\n" + BASE, id="import"),
        pytest.param(BASE, BASE.replace("(country, ", "(\n        country,\n        "), id="layout"),
        pytest.param(BASE, BASE.replace("order", "purchase"), id="renamed everywhere"),
        pytest.param('fail("no rate")\n', 'fail("there is no rate")\n', id="text"),
    ],
)  # fmt: skip
def test_what_is_not_behaviour_is_not_noted(base: str, head: str) -> None:
    assert notes("docs: describe rates", file(base, head)) == ()


def test_files_that_are_not_the_product_are_not_noted() -> None:
    paths = (
        "docs/conf.py",
        "tests/helpers.py",
        "scripts/release.py",
        "vite.config.ts",
        "examples/shop.py",
        "README.md",
    )

    assert notes("docs: describe rates", *(file(BASE, NEW_GUARD, path) for path in paths)) == ()
    assert notes("docs: describe rates", file(BASE, NEW_GUARD, is_test=True)) == ()


@pytest.mark.parametrize(
    ("old", "new"), [("0.07", "0.19"), ("total > 100", "total >= 100"), ("total > 100", "total > 150")]
)
def test_a_refactoring_that_changes_a_value_is_noted(old: str, new: str) -> None:
    (note,) = notes("refactor: rates", file(BASE, BASE.replace(old, new)))

    assert note.stated == "refactoring"
    assert old not in note.reason


def test_a_refactoring_that_names_the_new_value_is_not_noted() -> None:
    head = BASE.replace("0.07", "0.19")

    assert notes("refactor: change the default rate", file(BASE, head)) == ()


def test_a_refactoring_may_change_code() -> None:
    assert notes("refactor: rates", file(BASE, NEW_GUARD)) == ()


def test_all_messages_of_a_change_must_state_a_kind() -> None:
    changed = file(BASE, NEW_GUARD)

    assert kind_notes(("docs: describe rates", "feat: rates of exports"), (changed,)) == ()
    assert len(kind_notes(("docs: describe rates", "test: cover rates"), (changed,))) == 1
    assert kind_notes((), (changed,)) == ()


def test_typescript_is_compared_without_attributes_for_tests_and_texts_of_elements() -> None:
    base = "export const Row = () => (\n  <p>\n    Total of all orders\n  </p>\n)\n"
    head = 'export const Row = () => (\n  <p data-testid="total">\n    Sum of all the orders\n  </p>\n)\n'

    assert notes("test: rows", file(base, head, "shop/row.tsx")) == ()
