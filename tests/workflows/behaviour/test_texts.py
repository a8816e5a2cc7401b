"""Mutations of strings."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from wardround.workflows.wardround_in_sandbox.behaviour.texts import mutate_string


def changed(value: Any, *others: Any) -> set[Any]:
    return {mutate_string(value, list(others), Random(seed)) for seed in range(3000)}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (
            "import os",
            {"import", "os", "import\tos", "import  os", "importos", "", "IMPORT OS", "import osimport os"},
        ),
        ("a-1", {"a--1", "a1", "a-11", "a-0", "a-9", "a-", "1-a", "-a-1", "0a-1"}),
        ("", {"-", "0", " ", "\u00e9"}),
        (b"a b", {b"a", b"b", b"a\tb", b"ab"}),
    ],
)
def test_words_and_separators_are_changed(value: Any, expected: set[Any]) -> None:
    assert expected <= changed(value)


def test_texts_of_recorded_calls_are_combined() -> None:
    assert {"abcd", "ad"} <= changed("ab", "cd")


def test_one_word_is_exchanged_or_rewritten() -> None:
    found = changed("create table t AS x", "drop view v")

    assert {"create table t as x", "create view t AS x", "create  t AS x", "create table tt AS x"} <= found


def test_the_type_stays() -> None:
    assert {type(item) for item in changed(b"\xff1 ", b"x")} == {bytes}
