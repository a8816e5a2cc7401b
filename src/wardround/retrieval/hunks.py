"""Which hunks of a change a message, ticket or criterion is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from wardround.change.diff import Change, ChangedFile, Hunk
from wardround.change.origin import Texts
from wardround.retrieval import bm25, ngrams
from wardround.retrieval.embedder import Embedder
from wardround.retrieval.functions import Function, enclosing, functions
from wardround.retrieval.fusion import fused
from wardround.retrieval.texts import hunk_text, leading, query_text
from wardround.retrieval.words import counted

_NEAR_LINES = 6
"""Blocks with fewer unchanged lines between them are one hunk, as ``git diff`` shows them."""
_LONGEST_LINES = 400


@dataclass(frozen=True, slots=True)
class ChangedCode:
    """A hunk as text.

    ``line`` and ``end_line`` are of the head, or of the base where the file or all of the hunk was removed.
    ``function`` is the first line of the definition around it, or empty; ``text`` has the added lines and
    behind them the removed ones.
    """

    path: str
    line: int
    end_line: int
    function: str
    text: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """A hunk and how well it answers. ``score`` orders the hunks of one query and means nothing beyond it."""

    hunk: ChangedCode
    score: float
    lexical: float
    model: float | None


@dataclass(frozen=True, slots=True)
class Opinions:
    """What each ranker thinks of each hunk: BM25, character n-grams, and the model where there is one."""

    words: list[float]
    characters: list[float]
    closeness: list[float] | None

    def fused(self) -> list[float]:
        return fused(self.words, self.characters, *(() if self.closeness is None else (self.closeness,)))


def rank(query: str, hunks: Sequence[ChangedCode], embedder: Embedder | None = None) -> list[Evidence]:
    """The hunks, best first: the most likely evidence of what the query says, never proof of it.

    Args:
        query: a commit message, a ticket, an acceptance criterion.
        embedder: without one the words alone decide.
    """
    all_told = opinions(query, hunks, embedder)
    closeness: Sequence[float | None] = all_told.closeness or [None] * len(hunks)
    rows = zip(hunks, all_told.fused(), all_told.words, closeness, strict=True)
    found = [Evidence(hunk, score, words, near) for hunk, score, words, near in rows]
    return sorted(found, key=lambda one: (-one.score, one.hunk.path, one.hunk.line))


def opinions(query: str, hunks: Sequence[ChangedCode], embedder: Embedder | None) -> Opinions:
    """What the rankers think of hunks, in the order of the hunks."""
    asked = query_text(query)
    wholes = [f"{hunk.path}\n{hunk.function}\n{hunk.text}" for hunk in hunks]
    texts = [hunk_text(hunk.path, hunk.function, hunk.text) for hunk in hunks]
    return Opinions(
        bm25.scores(counted(asked), [counted(whole) for whole in wholes]),
        ngrams.scores(asked, texts),
        None if embedder is None or not hunks else similar(embedder, asked, texts),
    )


def similar(embedder: Embedder, query: str, texts: Sequence[str]) -> list[float]:
    """The cosine of a query with each text, from -1 to 1."""
    vectors = embedder.embed([leading(query), *texts])
    return [round(float(value), 5) for value in vectors[1:] @ vectors[0]]


def changed_code(change: Change, texts: Texts) -> list[ChangedCode]:
    """The hunks of a change's text files, by path and line."""
    return [one for file in change.files if not file.lost for one in _of_file(file, texts)]


def _of_file(file: ChangedFile, texts: Texts) -> Iterator[ChangedCode]:
    head, base = texts.head(file.path), texts.base(file.path)
    if not file.is_regular or (head is None and base is None):
        return
    head_lines, base_lines = (head or "").split("\n"), (base or "").split("\n")
    hunks: Iterable[Hunk] = file.hunks
    if head is None:
        hunks = (Hunk(1, len(base_lines), 0, 0),)
    defined = functions(file.path, head if head is not None else base or "")
    for group in _grouped(hunks):
        yield _as_text(file.path, group, head_lines, base_lines, defined)


def _grouped(hunks: Iterable[Hunk]) -> Iterator[list[Hunk]]:
    group: list[Hunk] = []
    for hunk in hunks:
        if group and hunk.head_start - (group[-1].head_start + group[-1].head_length) > _NEAR_LINES:
            yield group
            group = []
        group.append(hunk)
    if group:
        yield group


def _as_text(
    path: str, group: Sequence[Hunk], head: Sequence[str], base: Sequence[str], defined: Sequence[Function]
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
