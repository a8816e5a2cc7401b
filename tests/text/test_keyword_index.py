"""A cheaper answer than ``word in text`` has to be the same answer."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wardround.text.keyword_index import KeywordIndex, KeywordMatcher

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


@given(st.lists(_TEXTS, max_size=6), st.lists(_TEXTS, max_size=8, unique=True))
@example(["openly", "reopen", "open x", "openly"], ["open", "open ", "pen", "x"])
def test_a_matcher_of_many_texts_returns_for_each_what_it_contains(
    texts: list[str], words: list[str]
) -> None:
    matcher = KeywordMatcher(words)
    for text in texts:
        index = KeywordIndex(text)
        assert set(matcher.matches(index)) == {word for word in words if word in text}
        assert matcher.matches_any(index) == any(word in text for word in words)


def test_a_text_of_more_tokens_than_are_retained_is_matched() -> None:
    matcher = KeywordMatcher(("token_77", "token_x", "_9999 "))
    text = " ".join(f"token_{number}" for number in range(20_000))
    for _ in range(2):
        assert set(matcher.matches(KeywordIndex(text))) == {"token_77", "_9999 "}
    for start in range(0, 20_000, 5_000):
        text = " ".join(f"token_{number}" for number in range(start, start + 5_000))
        assert ("token_77" in matcher.matches(KeywordIndex(text))) == ("token_77" in text)


def test_tokens_that_a_matcher_has_seen_are_not_searched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    matcher = KeywordMatcher(("open(", "socket"))
    assert set(matcher.matches(KeywordIndex("file = open(path)"))) == {"open("}
    monkeypatch.setattr(matcher, "_candidates", lambda text: pytest.fail(f"searched again: {text}"))
    assert set(matcher.matches(KeywordIndex("open(path) = file"))) == {"open("}


def test_one_of_several_is_enough() -> None:
    reported = KeywordIndex("with open(path) as file:\n    pass\n")
    assert reported.contains_any(("socket", "open("))
    assert not reported.contains_any(("socket", "open ("))
    assert not reported.contains_any(())
