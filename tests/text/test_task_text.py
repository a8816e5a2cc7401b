"""The input of a model of kinds: the words of a message, a ticket or an issue."""

from __future__ import annotations

import pytest

from wardround.text.hashed_words import BUCKETS, hashed_words
from wardround.text.task_text import CommitPrefix, split_prefix, task_text


@pytest.mark.parametrize(
    ("subject", "prefix", "rest"),
    [
        ("fix(parser)!: drop the cache", CommitPrefix("fix", "parser"), "drop the cache"),
        ("Feat: pages", CommitPrefix("feat", ""), "pages"),
        ("Drop the cache", CommitPrefix(), "Drop the cache"),
        ("http://example.org is down", CommitPrefix(), "http://example.org is down"),
    ],
)
def test_a_prefix_is_apart_from_the_subject(subject: str, prefix: CommitPrefix, rest: str) -> None:
    assert split_prefix(subject) == (prefix, rest)


@pytest.mark.parametrize(
    ("subject", "body", "text"),
    [
        ("fix: handle empty rows (#123)", "", "handle empty rows"),
        ("Handle rows in src/table.py and rows.ts", "", "Handle rows in and"),
        ("perf: cache rows", "Fixes #12 in the table\n\nSigned-off-by: A B <a@example.org>", "cache rows"),
        ("Cache rows", "* feat: add a cache\n* fix(rows): close it", "Cache rows. * add a cache * close it"),
        ("Crash", "```python\nraise ValueError\n```\nIt stops.", "Crash. It stops"),
        ("Revert 1a2b3c4d5e", "<!-- a template -->See https://example.org/x", "Revert. See"),
        ("", "", ""),
    ],
)
def test_what_states_the_kind_or_names_places_is_excluded(subject: str, body: str, text: str) -> None:
    assert task_text(subject, body) == text


def test_a_long_text_ends_after_its_first_words() -> None:
    assert len(task_text("word " * 500, "more " * 500).split()) == 60


def test_features_are_numbers_that_no_vocabulary_is_stored_for() -> None:
    numbers, counts = hashed_words("Fix the crash, fix the hang")
    assert numbers == sorted(set(numbers))
    assert numbers[0] >= 0
    assert numbers[-1] < BUCKETS
    assert max(counts) == 2
    assert hashed_words("fix the crash fix the hang") == (numbers, counts)
    assert hashed_words("") == ([0], [1.0])
