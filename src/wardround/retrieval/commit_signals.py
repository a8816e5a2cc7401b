"""Evidence of earlier commits about files: the words of their messages, and how recently files were changed.

A report often uses the words of earlier fixes of the same code, and recently touched files are in active
development. The caller must pass only commits before the searched tree.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from wardround.retrieval import bm25
from wardround.retrieval.documents import query_text
from wardround.text.search_terms import count_words

COMMITS = 1000
"""Maximum number of commits; more had no effect in experiments."""
MOST_FILES = 20
"""Maximum number of files of a commit; one that touches more is weak evidence about each of them."""
HALF_LIFE = 20
"""The number of commits after which a touch counts half."""
_STEEPNESS = 4
_LONGEST = 4_000


@dataclass(frozen=True, slots=True)
class CommitIndex:
    """A commit as the words of its message and the paths that it changed; none if it changed too many."""

    words: Mapping[str, int]
    paths: tuple[str, ...]

    @classmethod
    def of(cls, message: str, paths: Sequence[str]) -> CommitIndex:
        if len(paths) > MOST_FILES:
            return cls({}, ())
        return cls(count_words(query_text(message)[:_LONGEST]), tuple(paths))

    @classmethod
    def from_bytes(cls, data: bytes) -> CommitIndex:
        words, paths = msgspec.msgpack.decode(data, type=tuple[dict[str, int], list[bytes]])
        return cls(words, tuple(os.fsdecode(path) for path in paths))

    def to_bytes(self) -> bytes:
        return msgspec.msgpack.encode((self.words, [os.fsencode(path) for path in self.paths]))


def message_scores(
    requested: Mapping[str, int], past: Sequence[CommitIndex], paths: Sequence[str]
) -> list[float]:
    """Return the BM25 of each path over the messages of all commits that touched it."""
    locations = {path: at for at, path in enumerate(paths)}
    documents: list[dict[str, int]] = [{} for _ in paths]
    lengths = [0] * len(paths)
    for commit in past:
        shared = {word: commit.words[word] for word in requested if word in commit.words}
        length = sum(commit.words.values())
        for at in (locations[path] for path in commit.paths if path in locations):
            lengths[at] += length
            for word, times in shared.items():
                documents[at][word] = documents[at].get(word, 0) + times
    return bm25.scores(requested, documents, lengths)


def recency(past: Sequence[CommitIndex], paths: Sequence[str]) -> list[float]:
    """Return how often and how recently each path was touched, 0 for never; commits come newest first."""
    locations = {path: at for at, path in enumerate(paths)}
    found = [0.0] * len(paths)
    for age, commit in enumerate(past):
        for path in commit.paths:
            if path in locations:
                found[locations[path]] += 0.5 ** (age / HALF_LIFE)
    return [math.log1p(_STEEPNESS * score) for score in found]
