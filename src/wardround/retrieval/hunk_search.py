"""The search for hunks of a change that a message, ticket or criterion is about."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from wardround.change.change_source import FileTexts
from wardround.change.diff import Change, ChangedFile, Hunk
from wardround.retrieval import bm25, ngrams
from wardround.retrieval.definitions import Definition, enclosing, functions
from wardround.retrieval.documents import hunk_text, leading, query_text, query_variants
from wardround.retrieval.lexical_features import OVERLAP_NAMES, lexical_features
from wardround.retrieval.protocols import TextEmbedder
from wardround.retrieval.rank_fusion import fuse, weighted_sum
from wardround.text.search_terms import count_words

WEIGHTS = {
    "words": 0.1, "characters": 0.13, "path": 0.25, "covered": 0.42, "run": 0.35, "file": 0.59, "size": -0.5,
    "closeness": 1.0,
}  # fmt: skip
WEIGHTS_WITHOUT_MODEL = {
    "words": 0.59, "characters": 0.79, "path": 0.42, "covered": 0.69, "run": 0.6, "file": 1.0, "size": -0.79,
}  # fmt: skip
"""The weight of each ranker, in standard deviations, fitted by ``evals/binding.py fit-messages``.

On 312 commits of flask, httpx, starlette, pydantic, redash, TanStack/query, langfuse and shadcn-ui/ui; it is
measured on others.
"""

_COVERED, _RUN = OVERLAP_NAMES.index("covered"), OVERLAP_NAMES.index("longest-run")
_COMPARED = 4_000
"""Maximum length of a text that is compared word by word, in quadratic time."""
_BODY_PIECES = 60
_NEAR_LINES = 6
"""Blocks with fewer unchanged lines between them are one hunk, as ``git diff`` shows them."""
_LONGEST_LINES = 400


@dataclass(frozen=True, slots=True)
class ChangedCode:
    """A hunk as text.

    ``line`` and ``end_line`` are of the head, or of the base if the file or all of the hunk was removed.
    ``function`` is the first line of the enclosing definition, or empty; ``text`` has the added lines,
    followed by
    the removed ones.
    """

    path: str
    line: int
    end_line: int
    function: str
    text: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """A hunk and its score. ``score`` orders the hunks of one query; not comparable between queries."""

    hunk: ChangedCode
    score: float
    lexical: float
    model: float | None


@dataclass(frozen=True, slots=True)
class HunkScores:
    """The score of each hunk by each ranker.

    Attributes:
        words: BM25 of path, definition and lines.
        characters: n-grams of the text for an encoder.
        path: BM25 of the path only.
        covered: the share of the query's words in the hunk, weighted by rarity.
        run: the longest run of words of the query in the hunk, as a share.
        file: the best of the file's hunks by words and characters.
        size: the logarithm of the number of words in the hunk.
        closeness: the model's similarity, if there is a model.
    """

    words: list[float]
    characters: list[float]
    path: list[float]
    covered: list[float]
    run: list[float]
    file: list[float]
    size: list[float]
    closeness: list[float] | None

    def fuse(self) -> list[float]:
        """Return one score; without a model that of the other rankers."""
        columns = {
            "words": self.words, "characters": self.characters, "path": self.path, "covered": self.covered,
            "run": self.run, "file": self.file, "size": self.size,
        }  # fmt: skip
        if self.closeness is None:
            return weighted_sum(columns, WEIGHTS_WITHOUT_MODEL)
        return weighted_sum(columns | {"closeness": self.closeness}, WEIGHTS)


def rank(query: str, hunks: Sequence[ChangedCode], embedder: TextEmbedder | None = None) -> list[Evidence]:
    """Return the hunks, best first: the most likely evidence of the query, never proof of it.

    Args:
        query: a commit message, a ticket, an acceptance criterion.
        embedder: None: only the words decide.
    """
    all_told = opinions(query, hunks, embedder)
    closeness: Sequence[float | None] = all_told.closeness or [None] * len(hunks)
    rows = zip(hunks, all_told.fuse(), all_told.words, closeness, strict=True)
    found = [Evidence(hunk, score, words, near) for hunk, score, words, near in rows]
    return sorted(found, key=lambda match: (-match.score, match.hunk.path, match.hunk.line))


def opinions(query: str, hunks: Sequence[ChangedCode], embedder: TextEmbedder | None) -> HunkScores:
    """Return the rankers' scores of hunks, in the order of the hunks."""
    requested = query_text(query)
    expected = count_words(requested)
    wholes = [f"{hunk.path}\n{hunk.function}\n{hunk.text}" for hunk in hunks]
    bags = [count_words(complete) for complete in wholes]
    words = bm25.scores(expected, bags)
    characters = ngrams.scores(requested, [hunk_text(hunk.path, hunk.function, hunk.text) for hunk in hunks])
    shared = lexical_features(requested[:_COMPARED], [complete[:_COMPARED] for complete in wholes])
    return HunkScores(
        words,
        characters,
        bm25.scores(expected, [count_words(hunk.path) for hunk in hunks]),
        [row[_COVERED] for row in shared],
        [row[_RUN] for row in shared],
        _best_of_file(hunks, fuse(words, characters)),
        [math.log1p(sum(bag.values())) for bag in bags],
        None if embedder is None or not hunks else similar(embedder, requested, hunks),
    )


def _best_of_file(hunks: Sequence[ChangedCode], scores: Sequence[float]) -> list[float]:
    best: dict[str, float] = {}
    for hunk, score in zip(hunks, scores, strict=True):
        best[hunk.path] = max(score, best.get(hunk.path, score))
    return [best[hunk.path] for hunk in hunks]


def similar(embedder: TextEmbedder, query: str, hunks: Sequence[ChangedCode]) -> list[float]:
    """Return the cosine of a query with each hunk, from -1 to 1: the mean over the forms of both."""
    requested = query_variants(query)
    wholes = [hunk_text(hunk.path, hunk.function, hunk.text) for hunk in hunks]
    bodies = [leading(hunk.text, _BODY_PIECES) for hunk in hunks]
    vectors = embedder.embed([*requested, *wholes, *bodies])
    cosines = (vectors[len(requested) :] @ vectors[: len(requested)].T).mean(axis=1)
    both = (cosines[: len(hunks)] + cosines[len(hunks) :]) / 2
    return [round(float(value), 5) for value in both]


def changed_code(change: Change, texts: FileTexts) -> list[ChangedCode]:
    """Return the hunks of a change's text files, by path and line."""
    return [hunk for file in change.files if not file.lost for hunk in _changed_code_in_file(file, texts)]


def _changed_code_in_file(file: ChangedFile, texts: FileTexts) -> Iterator[ChangedCode]:
    head, base = texts.head(file.path), texts.base(file.path)
    if not file.is_regular or (head is None and base is None):
        return
    head_lines, base_lines = (head or "").split("\n"), (base or "").split("\n")
    hunks: Iterable[Hunk] = file.hunks
    if head is None:
        hunks = (Hunk(1, len(base_lines), 0, 0),)
    defined = functions(file.path, head if head is not None else base or "")
    for group in _group_hunks(hunks):
        yield _to_changed_code(file.path, group, head_lines, base_lines, defined)


def _group_hunks(hunks: Iterable[Hunk]) -> Iterator[list[Hunk]]:
    group: list[Hunk] = []
    for hunk in hunks:
        if group and hunk.head_start - (group[-1].head_start + group[-1].head_length) > _NEAR_LINES:
            yield group
            group = []
        group.append(hunk)
    if group:
        yield group


def _to_changed_code(
    path: str, group: Sequence[Hunk], head: Sequence[str], base: Sequence[str], defined: Sequence[Definition]
) -> ChangedCode:
    added = [
        line
        for h in group
        for line in head[h.head_start - 1 : h.head_start - 1 + h.head_length]
        if h.head_length
    ]
    removed = [
        line
        for h in group
        for line in base[h.base_start - 1 : h.base_start - 1 + h.base_length]
        if h.base_length
    ]
    first, last = group[0], group[-1]
    if added or first.head_start:
        start, end = (
            max(first.head_start, 1),
            max(last.head_start + last.head_length - 1, first.head_start, 1),
        )
    else:
        start, end = first.base_start, last.base_start + last.base_length - 1
    around = enclosing(defined, start)
    lines = [*added, *removed][:_LONGEST_LINES]
    return ChangedCode(path, start, end, around.signature if around else "", "\n".join(lines))
