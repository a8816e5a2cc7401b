"""English words without their endings."""

from __future__ import annotations

import pytest

from wardround.text.stemming import search_stem, stem


@pytest.mark.parametrize(
    ("one", "other"),
    [("retries", "retry"), ("matched", "match"), ("caching", "cache"), ("classes", "class"), ("ids", "ids")],
)
def test_forms_of_a_word_share_a_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_different_words_keep_different_stems() -> None:
    assert len({stem(word) for word in ("class", "clash", "string", "list", "used", "ring")}) == 6


@pytest.mark.parametrize(
    ("forms", "root"),
    [
        (["validate", "validates", "validated", "validating"], "validat"),
        (["stop", "stops", "stopped", "stopping"], "stop"),
        (["class", "classes"], "class"),
        (["box", "boxes"], "box"),
        (["status"], "status"),
        (["pass", "passes", "passed", "passing"], "pass"),
        (["call", "called", "calling"], "call"),
        (["thing", "things"], "thing"),
        (["red"], "red"),
    ],
)
def test_forms_of_a_word_have_one_search_stem(forms: list[str], root: str) -> None:
    assert {search_stem(form) for form in forms} == {root}


def test_search_stems_undo_doubled_consonants() -> None:
    assert (search_stem("stopped"), stem("stopped")) == ("stop", "stopp")
    assert (search_stem("sting"), search_stem("bring")) == ("sting", "bring")
