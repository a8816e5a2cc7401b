"""The order of files, and of the segments in them, by how likely a task is about them; without a model."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice

import msgspec

from wardround.authoring.context.base_code import BaseCode
from wardround.authoring.context.base_tree import BaseTree
from wardround.authoring.context.code_vectors import MOST_EMBEDDED, CodeVectors
from wardround.authoring.context.mentions import Mention
from wardround.authoring.context.segments import Segment, segments
from wardround.authoring.context.task_words import TaskWords
from wardround.retrieval import bm25, ngrams
from wardround.retrieval.file_search import evidence
from wardround.retrieval.rank_fusion import standardise
from wardround.text.search_terms import count_words

MOST_FILES = 12
"""Files whose segments are ranked; with more, the wrong segments displaced others in experiments."""
_WEIGHTS = {"words": 1.0, "name": 0.3, "signature": 0.3, "characters": 0.5, "file": 1.4, "size": 0.3}
"""The weight of each ranker of segments, in standard deviations.

``file`` is the logarithm of the file's rank, ``size`` that of the number of characters. Chosen on 90 commits
of celery, click, falcon, httpx, locust, query, redux-toolkit, sqlite-utils and twine, as the best of about 70
settings; docs/authoring.md has the figures of other repositories.
"""
_WITH_VECTORS = {**_WEIGHTS, "closeness": 1.0}
_BY_VECTORS = {"closeness": 1.0, "file": 0.3}
"""The weights with an encoder, and for an encoder alone.

Chosen on 49 commits of click, falcon, httpx, locust, query, redux-toolkit, sqlite-utils and twine: 0.5 to 2
all differ from words by less than 0.03 of the changed lines; those for the encoder alone on 24 commits.
"""
_MENTIONED = 6.0
"""The score of a mentioned name or line, in the same unit: above all other evidence."""
_SHORT = 200
"""Characters up to which a segment is not long."""
_DECIMALS = 6
NO_EVIDENCE = "in a file that is probably changed"
"""The reason of a segment that shares no word with the task."""
_BY_VECTORS_ALONE = "close to the task by the encoder"


class RankedFile(msgspec.Struct, frozen=True):
    """A file with the evidence in words, the strongest first."""

    path: str
    reasons: tuple[str, ...]


class RankedSegment(msgspec.Struct, frozen=True):
    """A segment with its score, which orders the segments of one task, and the evidence in words."""

    segment: Segment
    score: float
    reasons: tuple[str, ...]


def rank_files(words: TaskWords, code: BaseCode, first: Mapping[str, str]) -> list[RankedFile]:
    """Return the files that a task is most likely about, best first.

    Args:
        first: path -> reason of files that precede all others, in this order.
    """
    order = FileOrder(words, code)
    rest = [at for at in order.rows if order.paths[at] not in first][:MOST_FILES]
    shared = _shared_terms(words, code.tree, [order.paths[at] for at in rest])
    ranked = [RankedFile(path, (reason,)) for path, reason in first.items()]
    for at in rest:
        path = order.paths[at]
        reasons = tuple(order.reasons(at, words.reason(shared[path])))
        ranked.append(RankedFile(path, reasons or (_BY_VECTORS_ALONE,)))
    return ranked[: max(MOST_FILES, len(first))]


def order_of_files(words: TaskWords, code: BaseCode) -> list[str]:
    """Return all source files, the most probable ones first."""
    order = FileOrder(words, code)
    return list(dict.fromkeys([*(order.paths[at] for at in order.rows), *order.paths]))


class FileOrder:
    """The source files of a commit by the evidence that a task is about them.

    Attributes:
        paths: all files.
        rows: the numbers of files with evidence, best first.
    """

    def __init__(self, words: TaskWords, code: BaseCode) -> None:
        entries = code.tree.entries(code.tree.sources)
        self.paths = [entry.path for entry in entries]
        self._scores = evidence(words.text, entries, code.index, None, code.past)
        order = self._order(range(len(entries)), self._scores.fuse())
        if code.vectors is None:
            self.rows = [at for at in order if self._scores.words[at] > 0 or self._scores.told[at] > 0]
        else:
            self.rows = self._with_vectors(words.text, order[:MOST_EMBEDDED], code.vectors)

    def _order(self, rows: Sequence[int], scores: Sequence[float]) -> list[int]:
        pairs = zip(rows, scores, strict=True)
        ordered = sorted(pairs, key=lambda pair: (-round(pair[1], _DECIMALS), self.paths[pair[0]]))
        return [at for at, _ in ordered]

    def _with_vectors(self, query: str, rows: Sequence[int], vectors: CodeVectors) -> list[int]:
        """Return rows in the order that the encoder contributes to, or decides alone."""
        near = vectors.of_files(query, [self.paths[at] for at in rows])
        scores = near if vectors.is_alone else self._scores.with_closeness(rows, near).fuse()
        return self._order(rows, scores)

    def reasons(self, at: int, shared: str) -> Iterator[str]:
        """Yield the evidence for a file, the strongest first.

        Args:
            shared: the reason that names the words that it shares with the task; empty without any.
        """
        if shared:
            yield shared
        if self._scores.path[at] > 0:
            yield "its path has words of the task"
        if self._scores.told[at] > 0:
            yield "earlier commits with such messages changed it"
        if self._scores.recent[at] > 1:
            yield "changed recently"


def _shared_terms(words: TaskWords, tree: BaseTree, paths: Sequence[str]) -> dict[str, list[str]]:
    """Return the terms that each file shares with a task, those that few of the files have first."""
    found = {path: words.shared_with(f"{path}\n{tree.text(path) or ''}") for path in paths}
    held = Counter(term for terms in found.values() for term in terms)
    return {
        path: sorted(terms, key=lambda term: (held[term], -len(term), term)) for path, terms in found.items()
    }


def rank_segments(
    words: TaskWords,
    code: BaseCode,
    files: Sequence[str],
    names: Collection[str],
    mentions: Sequence[Mention],
) -> list[RankedSegment]:
    """Return the segments of some files, best first.

    Args:
        files: best first.
        names: identifiers that the task mentions.
        mentions: files, some with lines, that the task mentions.
    """
    tree = code.tree
    found = [segment for path in files for segment in segments(path, tree.text(path) or "")]
    texts = [segment_text(segment, tree) for segment in found]
    base = _segment_scores(words, found, texts, {path: at for at, path in enumerate(files)}, code.vectors)
    ranked = []
    for segment, text, score in zip(found, texts, base, strict=True):
        reasons = list(_mention_reasons(segment, names, mentions))
        bonus = _MENTIONED * min(len(reasons), 2)
        reasons += _word_reasons(words, segment, text)
        ranked.append(RankedSegment(segment, round(score + bonus, _DECIMALS), tuple(reasons)))
    return sorted(ranked, key=lambda found: (-found.score, found.segment))


def segment_text(segment: Segment, tree: BaseTree) -> str:
    """Return the lines of a segment."""
    return "\n".join(tree.lines(segment.path)[segment.first_line - 1 : segment.last_line])


def _segment_scores(
    words: TaskWords,
    found: Sequence[Segment],
    texts: Sequence[str],
    ranks: Mapping[str, int],
    vectors: CodeVectors | None,
) -> list[float]:
    columns = {
        **_word_columns(words, found, texts),
        "file": [-math.log1p(ranks[segment.path]) for segment in found],
        "size": [-math.log(max(len(text), _SHORT) / _SHORT) for text in texts],
    }
    if vectors is not None:
        described = [_text_for_encoder(segment, text) for segment, text in zip(found, texts, strict=True)]
        columns["closeness"] = standardise(vectors.of_texts(words.text, described))
    weights = _weights(vectors)
    rows = [[weight * score for score in columns[name]] for name, weight in weights.items()]
    return [math.fsum(column) for column in zip(*rows, strict=True)]


def _weights(vectors: CodeVectors | None) -> Mapping[str, float]:
    if vectors is None:
        return _WEIGHTS
    return _BY_VECTORS if vectors.is_alone else _WITH_VECTORS


def _word_columns(words: TaskWords, found: Sequence[Segment], texts: Sequence[str]) -> dict[str, list[float]]:
    """Return the scores by words, in standard deviations."""
    names = [count_words(segment.symbol) for segment in found]
    pairs = list(zip(found, texts, strict=True))
    bodies = [count_words(f"{segment.symbol}\n{text}") for segment, text in pairs]
    signatures = [_signature(segment, text) for segment, text in pairs]
    scores = {
        "words": bm25.scores(words.terms, bodies),
        "name": bm25.scores(words.terms, names, [max(name.total(), 1) for name in names]),
        "signature": ngrams.scores(words.text, signatures),
        "characters": ngrams.scores(words.text, texts),
    }
    return {name: standardise(column) for name, column in scores.items()}


def _text_for_encoder(segment: Segment, text: str) -> str:
    return f"{segment.path}\n{segment.symbol}\n{text}"


def _signature(segment: Segment, text: str) -> str:
    return f"{segment.symbol}\n{text.split(chr(10), 1)[0]}"


def _mention_reasons(segment: Segment, names: Collection[str], mentions: Sequence[Mention]) -> Iterator[str]:
    own = segment.symbol.rpartition(".")[2]
    if own in names:
        yield f'the task names "{own}"'
    lines = (mention.line for mention in mentions if segment.contains(mention.path, mention.line))
    for line in islice(lines, 1):
        yield f"the task names line {line}"


def _word_reasons(words: TaskWords, segment: Segment, text: str) -> list[str]:
    shared = words.shared_with(f"{segment.symbol}\n{text}")
    reason = words.reason(sorted(shared, key=lambda term: (-len(term), term)))
    return [reason or NO_EVIDENCE]
