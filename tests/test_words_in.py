"""A cheaper answer than ``word in text`` has to be the same answer."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from wardround.words_in import WordsIn

_PIECES = st.sampled_from(
    ["open", "open(", "_x", "é", "\u017f", "\u00a0", "\r\n", "-", "for ", " ", "%", "a1", "A"]
)
_TEXTS = st.lists(_PIECES | st.text(max_size=4), max_size=12).map("".join)


@given(_TEXTS, _TEXTS)
@example("a.open (x)", "open(")
@example("ab-cd", "b-c")
@example("x", "")
def test_a_word_is_found_where_it_stands(text: str, word: str) -> None:
    assert WordsIn(text).has(word) == (word in text)


def test_one_of_several_is_enough() -> None:
    words = WordsIn("with open(path) as file:\n    pass\n")
    assert words.has_one(("socket", "open("))
    assert not words.has_one(("socket", "open ("))
    assert not words.has_one(())
