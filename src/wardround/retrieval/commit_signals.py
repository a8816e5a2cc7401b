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
from wardround.text.search_terms import counted

COMMITS = 1000
"""The limit on commits; more had no effect in experiments."""
MOST_FILES = 20
"""The limit on files of a commit; one that touches more is weak evidence about each of them."""
HALF_LIFE = 20
"""The number of commits after which a touch counts half."""
_STEEPNESS = 4
_LONGEST = 4_000


@dataclass(frozen=True, slots=True)
class CommitIndex:
    """A commit as the words of its message and the paths it touched; none if it touched too many."""

    words: Mapping[str, int]
    paths: tuple[str, ...]

    @classmethod
    def of(cls, message: str, paths: Sequence[str]) -> CommitIndex:
        if len(paths) > MOST_FILES:
            return cls({}, ())
        return cls(counted(query_text(message)[:_LONGEST]), tuple(paths))

    @classmethod
    def from_bytes(cls, data: bytes) -> CommitIndex:
        words, paths = msgspec.msgpack.decode(data, type=tuple[dict[str, int], list[bytes]])
        return cls(words, tuple(os.fsdecode(path) for path in paths))

    def to_bytes(self) -> bytes:
        return msgspec.msgpack.encode((self.words, [os.fsencode(path) for path in self.paths]))


def told(asked: Mapping[str, int], past: Sequence[CommitIndex], paths: Sequence[str]) -> list[float]:
    """Return the BM25 of each path over the messages of all commits that touched it."""
    places = {path: at for at, path in enumerate(paths)}
    documents: list[dict[str, int]] = [{} for _ in paths]
    lengths = [0] * len(paths)
    for one in past:
        shared = {word: one.words[word] for word in asked if word in one.words}
        length = sum(one.words.values())
        for at in (places[path] for path in one.paths if path in places):
            lengths[at] += length
            for word, times in shared.items():
                documents[at][word] = documents[at].get(word, 0) + times
    return bm25.scores(asked, documents, lengths)


def recency(past: Sequence[CommitIndex], paths: Sequence[str]) -> list[float]:
    """Return how often and how recently each path was touched, 0 for never; commits come newest first."""
    places = {path: at for at, path in enumerate(paths)}
    found = [0.0] * len(paths)
    for age, one in enumerate(past):
        for path in one.paths:
            if path in places:
                found[places[path]] += 0.5 ** (age / HALF_LIFE)
    return [math.log1p(_STEEPNESS * one) for one in found]
