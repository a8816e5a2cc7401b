"""A cheaper answer than ``word in text`` has to be the same answer."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from wardround.checks.keyword_index import KeywordIndex, KeywordMatcher

_PIECES = st.sampled_from(
    ["open", "open(", "_x", "é", "\u017f", "\u00a0", "\r\n", "-", "for ", " ", "%", "a1", "A"]
)
_TEXTS = st.lists(_PIECES | st.text(max_size=4), max_size=12).map("".join)


@given(_TEXTS, _TEXTS)
@example("a.open (x)", "open(")
@example("ab-cd", "b-c")
@example("x", "")
def test_a_word_is_found_where_it_stands(text: str, word: str) -> None:
    assert KeywordIndex(text).has(word) == (word in text)


@given(_TEXTS, st.lists(_TEXTS, max_size=5, unique=True))
@example("a.open (x)", ["open(", "open", "pen (", ""])
def test_of_many_words_those_are_found_that_stand_in_it(text: str, words: list[str]) -> None:
    assert set(KeywordMatcher(words).matches(KeywordIndex(text))) == {word for word in words if word in text}


def test_one_of_several_is_enough() -> None:
    said = KeywordIndex("with open(path) as file:\n    pass\n")
    assert said.contains_any(("socket", "open("))
    assert not said.contains_any(("socket", "open ("))
    assert not said.contains_any(())
