"""Statements of release notes in the words of a changelog."""

from __future__ import annotations

import pytest

from wardround.context.surface.model import SurfaceKind
from wardround.release_notes.changelog.changelog_coverage import ChangelogCoverage
from wardround.release_notes.model import BreakingForm, NoteKind, Statement

COMMIT = "c" * 40


def has_break(
    entry: str, symbol: str, surface: SurfaceKind = SurfaceKind.PYTHON_API, subject: str = ""
) -> bool:
    form = BreakingForm(surface, symbol, symbol, "", "", "shop.py", 1)
    statement = Statement(NoteKind.BREAKING, f"Remove `{symbol}`", (COMMIT,), breaking=form)
    return ChangelogCoverage([entry], {COMMIT: subject}).has(statement)


def has_feature(entry: str, text: str) -> bool:
    return ChangelogCoverage([entry], {}).has(Statement(NoteKind.FEATURE, text, (COMMIT,)))


@pytest.mark.parametrize(
    ("entry", "symbol"),
    [
        ("Remove `total`", "shop.Cart.total"),
        ("Remove the JSON decoders", "shop.json_decoder"),
        ("Methods of `Cart` that were deprecated are removed", "shop.Cart.total"),
        ("Drop Python 3.9", "requires-python"),
    ],
)
def test_an_entry_has_a_breaking_change_by_its_symbol_its_words_or_its_class(entry: str, symbol: str) -> None:
    assert has_break(entry, symbol)


@pytest.mark.parametrize(
    ("entry", "symbol"),
    [
        ("Remove `remove` of the shop", "shop.total"),
        ("`Cart` is faster", "shop.Cart.total"),
        ("Read JSON faster", "shop.json_decoder"),
        ("Drop Node.js 18", "requires-python"),
    ],
)
def test_an_entry_about_another_symbol_has_no_breaking_change(entry: str, symbol: str) -> None:
    assert not has_break(entry, symbol)


def test_the_subject_of_the_commit_connects_an_entry_with_a_symbol_but_not_with_a_requirement() -> None:
    entry, subject = "Totals are computed by the server", "Compute totals in the server"
    assert has_break(entry, "shop.add", subject=subject)
    assert not has_break(entry, "requires-python", SurfaceKind.DEPENDENCIES, subject)


@pytest.mark.parametrize(
    ("entry", "feature", "is_contained"),
    [
        ("Customers can pay by invoice", "Support invoices of customers", True),
        ("Add `--dry-run`", "Print what `--dry-run` would do", True),
        ("Something else", "Add support for invoices", False),
        ("Something else", "Add type annotations", True),
        ("Something else", "Add type annotations of `Cart`", False),
    ],
)
def test_a_feature_is_contained_by_its_words_or_its_names(
    entry: str, feature: str, is_contained: bool
) -> None:
    assert has_feature(entry, feature) is is_contained
