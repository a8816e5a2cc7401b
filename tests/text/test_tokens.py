"""Cutting names and prose into pieces."""

from __future__ import annotations

import pytest

from wardround.text import tokens


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("fetchRow_id2", ["fetch", "row", "id", "2"]),
        ("HTTPServer", ["http", "server"]),
        ("__init__", ["init"]),
        ("", []),
    ],
)
def test_names_fall_into_words(name: str, parts: list[str]) -> None:
    assert tokens.parts(name) == parts


@pytest.mark.parametrize("name", ["fetch_id", "fetchId", "utf8", "ID"])
def test_names_of_code_are_reported_from_words(name: str) -> None:
    assert tokens.is_code_like(name)


@pytest.mark.parametrize("name", ["list", "Query", "_private", "I"])
def test_words_are_not_mistaken_for_names_of_code(name: str) -> None:
    assert not tokens.is_code_like(name)


def test_names_are_marked_by_quoting_calling_and_examples() -> None:
    prose = "Use ``one.two`` or `three`, *four* or five(); see self.six.\n\n    >>> seven = 1\n    eight"
    assert tokens.marked_names(prose) == {"one", "two", "three", "four", "five", "six", "seven"}


def test_tokens_come_with_their_kind_and_strings_without_quotes() -> None:
    assert list(tokens.tokens("x.get('a b', 1.5)")) == [
        ("name", "x"), ("other", "."), ("name", "get"), ("other", "("), ("string", "a b"), ("other", ","),
        ("number", "1.5"), ("other", ")"),
    ]  # fmt: skip
