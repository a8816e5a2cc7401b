"""Evidence about files from earlier commits."""

from __future__ import annotations

import os

import pytest

from wardround.retrieval import bm25
from wardround.retrieval.commit_signals import HALF_LIFE, MOST_FILES, CommitIndex, message_scores, recency
from wardround.text.search_terms import count_words

PATHS = ["cart.py", "mail.py", "zoo.py"]


def test_a_file_is_reported_of_by_all_commits_that_touched_it() -> None:
    past = [
        CommitIndex.of("fix: the total of a basket", ["cart.py", "gone.py"]),
        CommitIndex.of("Send the basket by letter", ["mail.py", "cart.py"]),
    ]
    requested = count_words("basket total")
    documents = [count_words("the total of a basket") + count_words("Send the basket by letter")]
    documents += [count_words("Send the basket by letter"), count_words("")]
    scores = message_scores(requested, past, PATHS)
    assert scores == pytest.approx(bm25.scores(requested, documents))
    assert scores[0] > scores[1] > scores[2] == 0


def test_a_commit_that_touches_too_much_reports_nothing() -> None:
    many = ["cart.py", *(f"{n}.py" for n in range(MOST_FILES))]
    assert CommitIndex.of("basket", many) == CommitIndex({}, ())
    assert CommitIndex.of("basket", many[:MOST_FILES]).paths == tuple(many[:MOST_FILES])


def test_a_late_touch_counts_more_than_an_early_one() -> None:
    other = CommitIndex.of("something else", [])
    past = [CommitIndex.of("a", ["mail.py"]), *[other] * (HALF_LIFE - 1), CommitIndex.of("b", ["cart.py"])]
    cart, mail, zoo = recency(past, PATHS)
    assert mail > cart > zoo == 0
    assert recency([*past, CommitIndex.of("c", ["cart.py"])], PATHS)[0] > cart


def test_without_a_past_nothing_is_reported() -> None:
    assert message_scores({"basket": 1}, [], PATHS) == recency([], PATHS) == [0.0, 0.0, 0.0]
    assert message_scores({"basket": 1}, [CommitIndex.of("basket", ["cart.py"])], []) == []


def test_a_commit_survives_being_kept() -> None:
    item = CommitIndex.of("Count the lines of a basket", [os.fsdecode(b"caf\xe9.py"), "cart.py"])
    assert CommitIndex.from_bytes(item.to_bytes()) == item
