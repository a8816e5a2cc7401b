"""BM25, character n-grams, and the sum of several opinions."""

from __future__ import annotations

import math

import pytest

from wardround.retrieval import bm25, ngrams
from wardround.retrieval.rank_fusion import fuse, standardise, weighted_sum
from wardround.text.search_terms import count_words


def test_bm25_is_what_its_formula_reports() -> None:
    scores = bm25.scores({"login": 1}, [{"login": 2, "form": 1}, {"form": 1}])
    rarity = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    assert scores == [pytest.approx(rarity * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / 2))), 0.0]


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    texts = ["def load(config)", "def save(config)", "def load(cache, config)"]
    load, save, cache = bm25.scores(count_words("cache the config"), [count_words(text) for text in texts])
    assert cache > load > 0
    assert save == load


def test_no_documents_and_no_words_are_no_trouble() -> None:
    assert bm25.scores({"word": 1}, []) == []
    assert bm25.scores({}, [{}, {"a": 1}]) == [0.0, 0.0]
    assert ngrams.scores("word", []) == []
    assert ngrams.scores("", ["a", ""]) == [0.0, 0.0]


def test_ngrams_see_a_likeness_that_words_do_not() -> None:
    texts = ["def authenticator(): ...", "def basket(): ..."]
    assert bm25.scores(count_words("authentication"), [count_words(text) for text in texts]) == [0.0, 0.0]
    likeness = ngrams.scores("authentication", texts)
    assert likeness[0] > 0.2
    assert likeness[1] == 0.0
    assert ngrams.scores("same text", ["same text"]) == [pytest.approx(1.0)]


def test_standardised_scores_have_mean_0_and_spread_1() -> None:
    assert standardise([1.0, 3.0]) == [-1.0, 1.0]
    assert standardise([2.0, 2.0, 2.0]) == [0.0, 0.0, 0.0]
    assert standardise([]) == []


def test_fusion_lets_a_sure_second_opinion_decide() -> None:
    assert fuse([1, 1, 1, 1, 1.0], [0, 0, 9, 0, 0.0])[2] == max(fuse([1, 1, 1, 1, 1.0], [0, 0, 9, 0, 0.0]))


def test_few_candidates_keep_the_lexical_scores() -> None:
    assert fuse([3.0, 1.0, 2.0, 0.5], [0.0, 9.0, 0.0, 0.0]) == [3.0, 1.0, 2.0, 0.5]


def test_a_mix_weighs_each_opinion() -> None:
    columns = {"words": [0.0, 0.0, 0.0, 4.0, 0.0], "path": [0.0, 5.0, 0.0, 0.0, 0.0], "size": [3.0] * 5}
    scores = weighted_sum(columns, {"words": 1.0, "path": 3.0, "size": -9.0})
    words, path = standardise(columns["words"]), standardise(columns["path"])
    assert scores == pytest.approx([a + 3 * b for a, b in zip(words, path, strict=True)])
    assert scores[1] > scores[3] > scores[0]


def test_a_mix_of_few_candidates_is_their_words() -> None:
    assert weighted_sum({"words": [1.0, 2.0], "path": [9.0, 0.0]}, {"words": 1.0, "path": 9.0}) == [1.0, 2.0]


def test_lengths_may_be_given_where_only_words_requested_are_held() -> None:
    complete = [{"login": 2, "form": 1}, {"login": 1, "other": 8}]
    requested = {"login": 1}
    assert bm25.scores(requested, [{"login": 2}, {"login": 1}], [3, 9]) == bm25.scores(requested, complete)
