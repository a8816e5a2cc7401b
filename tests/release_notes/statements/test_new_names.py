"""Names that users have only since a range, next to the statements of their commits."""

from __future__ import annotations

import pytest

from wardround.context.surface.model import SurfaceKind
from wardround.release_notes.model import NoteKind, Statement
from wardround.release_notes.statements.draft import Draft
from wardround.release_notes.statements.new_names import with_additions
from wardround.release_notes.surfaces.additions import Addition

PYTHON = SurfaceKind.PYTHON_API


def _addition(symbol: str, *parameters: str, commit: str = "a") -> Addition:
    return Addition(PYTHON, symbol, "shop.py", 1, parameters, (commit,))


def _stated(draft: Draft, *additions: Addition) -> list[tuple[NoteKind, str]]:
    return [(found.kind, found.text) for found in with_additions([draft], additions, ())]


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (NoteKind.CHANGE, "Limit carts", (NoteKind.FEATURE, "Limit carts: new `shop.Cart.limit`")),
        (NoteKind.FEATURE, "Add `Cart.limit`", (NoteKind.FEATURE, "Add `Cart.limit`")),
        (NoteKind.FIX, "Keep rows", (NoteKind.FIX, "Keep rows")),
    ],
)
def test_a_statement_has_the_new_names_of_its_commit(
    kind: NoteKind, text: str, expected: tuple[NoteKind, str]
) -> None:
    assert _stated(Draft(kind, text, ("a",)), _addition("shop.Cart.limit")) == [expected]


def test_new_parameters_are_named_with_their_function() -> None:
    draft = Draft(NoteKind.FEATURE, "Limit carts", ("a",))
    assert _stated(draft, _addition("shop.total", "low", "high")) == [
        (NoteKind.FEATURE, "Limit carts: new parameters `low` and `high` of `shop.total`")
    ]


def test_names_of_other_commits_are_statements_by_their_owner() -> None:
    internal = Draft(NoteKind.INTERNAL, "Sort imports", ("a",), references=("#3",))
    names = [_addition("shop.Cart.low"), _addition("shop.Cart.high", commit="b"), _addition("shop.tax")]
    found = with_additions([internal], names, ())
    assert [(draft.text, draft.commits, draft.references) for draft in found[1:]] == [
        ("Add `low` and `high` to `shop.Cart`", ("a", "b"), ("#3",)),
        ("Add `shop.tax`", ("a",), ("#3",)),
    ]


def test_the_new_name_of_a_renamed_symbol_is_not_stated_twice() -> None:
    renamed = Statement(NoteKind.BREAKING, "Rename `shop.sum` to `total`", ("a",))
    assert with_additions([], [_addition("shop.total")], [renamed]) == []
