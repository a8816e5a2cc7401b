"""Subjects as sentences."""

from __future__ import annotations

import pytest

from wardround.release_notes.statements.sentence import read_subject, sentence


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("feat(cart): add a limit", "Add a limit"),
        ("✨ feat: add a limit", "Add a limit"),
        (":sparkles: add a limit :tada:", "Add a limit"),
        ("SHOP-12: add a limit", "Add a limit"),
        ("[SHOP-12] add a limit", "Add a limit"),
        ("Fix #12: keep rows", "Keep rows"),
        ("Fixes #12 - keep rows.", "Keep rows"),
        ("keep rows, fixes #12", "Keep rows"),
        ("keep rows (closes #12, #13)", "Keep rows"),
        ("keep rows [skip ci]", "Keep rows"),
        ("[3.x] keep rows", "Keep rows"),
        ("add `limit` to ``Cart.add``", "Add `limit` to `Cart.add`"),
        ("use :func:`~shop.add` again", "Use `shop.add` again"),
        ("add --limit to shop.cart.add()", "Add `--limit` to `shop.cart.add()`"),
        ("max_rows is kept", "`max_rows` is kept"),
        ("Support Python 3.12 on GitHub and Node.js", "Support Python 3.12 on GitHub and Node.js"),
        ("mypy: ignore x", "Ignore x"),
        ("don't fail, e.g. on Windows", "Don't fail, e.g. on Windows"),
        ("Keep up to UTF-8", "Keep up to UTF-8"),
    ],
)
def test_a_subject_is_a_sentence(title: str, text: str) -> None:
    assert sentence(read_subject(title).text) == text


def test_a_name_in_capitals_is_code_if_the_changed_code_defines_it() -> None:
    assert (
        sentence("Keep the CartRow of a PathLike", frozenset({"CartRow"}))
        == "Keep the `CartRow` of a PathLike"
    )


def test_the_parts_of_a_subject_remain_known() -> None:
    subject = read_subject("fixup! [wip] 💥 feat(cart)!: add x")
    assert (subject.type, subject.scope, subject.is_breaking) == ("feat", "cart", True)
    assert subject.is_correction
    assert subject.pictogram == "💥"


def test_control_characters_are_escaped() -> None:
    assert sentence(read_subject("keep \x1b[31mrows\u202e").text) == "Keep \\x1b[31mrows\\u202e"
