"""The search for files of a tree, and functions in them, that a report is about."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import repeat

from wardround.retrieval import bm25, ngrams
from wardround.retrieval.commit_signals import CommitIndex, message_scores, recency
from wardround.retrieval.definitions import Definition, functions
from wardround.retrieval.documents import query_text, query_variants
from wardround.retrieval.index import IndexedFile, Progress, SearchIndex
from wardround.retrieval.protocols import TextEmbedder
from wardround.retrieval.rank_fusion import fuse, weighted_sum
from wardround.text.search_terms import count_words

_KNOWN_SUFFIXES = """
    py pyi pyx ts tsx js jsx mjs cjs mts cts vue svelte sql go rs java kt kts scala swift rb php c h cc cpp
    cxx hpp cs m mm lua pl pm ex exs erl hs clj r jl dart sh bash zsh ps1 css scss less html jinja j2 graphql
    proto tf yml yaml toml cfg ini
"""
_SUFFIXES = frozenset(_KNOWN_SUFFIXES.split())
_NAMES = frozenset({"Dockerfile", "Jenkinsfile", "Makefile", "Containerfile"})
_BESIDE = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?|e2e|__mocks__|fixtures?|cypress|__snapshots__|examples?|docs?|samples?"
    r"|demos?|benchmarks?)/"
    r"|(?:^|/)(?:test_[^/]*|conftest)\.py$|_tests?\.\w+$|\.(?:\w*test|\w*spec|cy|stories|test-d)\.\w+$"
)
_GENERATED = re.compile(
    r"(?:^|/)(?:node_modules|vendor|vendored|dist|build|third_party)/|\.min\.\w+$|(?:^|/)(?:package-lock|pnpm-lock)\b"
    r"|[.-]lock\b|_pb2\w*\.py$|\.generated\.\w+$"
)
_BODY_LINES = 60
WEIGHTS = {"words": 1.0, "path": 0.22, "told": 0.8, "recent": 0.87, "closeness": 0.92}
WEIGHTS_WITHOUT_MODEL = {"words": 1.0, "path": 0.31, "told": 0.68, "recent": 0.66}
"""The weight of each ranker, in standard deviations, fitted by ``evals/binding.py fit-reports``.

On 307 fixes of flask, httpx, pydantic, redash, TanStack/query, locust, mkdocs, pre-commit, lerna,
healthchecks, eslint-plugin-react and PySyft; it is measured on others.
"""


@dataclass(frozen=True, slots=True)
class FunctionMatch:
    """A definition of a matching file; ``score`` orders the definitions of one query."""

    path: str
    function: Definition
    score: float


@dataclass(frozen=True, slots=True)
class FileMatch:
    """A file and its score. ``score`` orders the files of one query; not comparable between queries."""

    path: str
    score: float
    lexical: float
    model: float | None


@dataclass(frozen=True, slots=True)
class FileEvidence:
    """The score of each file by each ranker.

    Attributes:
        words: BM25 of the text, including that of the path.
        path: BM25 of the path only.
        told: BM25 of the messages of the commits that touched it.
        recent: how recently it was touched.
        closeness: the model's similarity, if there is a model.
    """

    words: list[float]
    path: list[float]
    told: list[float]
    recent: list[float]
    closeness: list[float] | None

    def fuse(self) -> list[float]:
        """Return one score; without history, or without a model, that of the other rankers."""
        columns = {"words": self.words, "path": self.path, "told": self.told, "recent": self.recent}
        if self.closeness is None:
            return weighted_sum(columns, WEIGHTS_WITHOUT_MODEL)
        return weighted_sum(columns | {"closeness": self.closeness}, WEIGHTS)

    def with_closeness(self, rows: Sequence[int], closeness: list[float]) -> FileEvidence:
        """Return the evidence of some of the files with the model's similarity of each."""
        words, path, told, recent = (
            [scores[at] for at in rows] for scores in (self.words, self.path, self.told, self.recent)
        )
        return FileEvidence(words, path, told, recent, closeness)


def is_source(path: str) -> bool:
    """Return True if a report can be about the file: source or settings that people write."""
    name = path.rpartition("/")[2]
    known = name in _NAMES or name.startswith("Dockerfile.") or name.rpartition(".")[2].lower() in _SUFFIXES
    return known and not _GENERATED.search(path)


def is_accompanying_file(path: str) -> bool:
    """Return True if a file only accompanies the source, by its path: a test, an example, documentation."""
    return _BESIDE.search(path) is not None


def search_files(
    query: str,
    entries: Sequence[IndexedFile],
    read: Callable[[IndexedFile], str | None],
    index: SearchIndex,
    embedder: TextEmbedder | None = None,
    progress: Progress = lambda text: None,
    past: Sequence[CommitIndex] = (),
) -> list[FileMatch]:
    """Return the files that a report is about, best first.

    Without an embedder these are only files that share a word with it, or that were changed by a commit which
    does.

    Args:
        entries: the candidates.
        read: the text of an entry, called for entries that are not yet in the index.
        past: the commits before the searched tree, newest first.
    """
    index.update(entries, read, embedder, progress)
    found = evidence(query, entries, index, embedder, past)
    rows = zip(entries, found.fuse(), found.words, found.told, found.closeness or repeat(None), strict=False)
    matches = [
        FileMatch(entry.path, score, words, near)
        for entry, score, words, reported, near in rows
        if near is not None or words > 0 or reported > 0
    ]
    return sorted(matches, key=lambda match: (-match.score, match.path))


def evidence(
    query: str,
    entries: Sequence[IndexedFile],
    index: SearchIndex,
    embedder: TextEmbedder | None,
    past: Sequence[CommitIndex] = (),
) -> FileEvidence:
    """Return the rankers' scores of entries in the index, in their order."""
    requested = query_text(query)
    words = count_words(requested)
    paths = [entry.path for entry in entries]
    near = (
        None
        if embedder is None or not entries
        else index.similarity(query_variants(requested), entries, embedder)
    )
    return FileEvidence(
        index.words_scores(words, entries),
        bm25.scores(words, [count_words(path) for path in paths]),
        message_scores(words, past, paths),
        recency(past, paths),
        near,
    )


def locate_functions(query: str, texts: Sequence[tuple[str, str]]) -> list[FunctionMatch]:
    """Return the definitions of some files that share a word with a report, best first.

    Args:
        texts: paths and contents of the files, as ``locate`` returned them.

    By words only: reranking the first of them with a model had no measurable benefit.
    """
    requested = query_text(query)
    found = [
        (path, function, _body(text, function)) for path, text in texts for function in functions(path, text)
    ]
    bodies = [count_words(f"{path}\n{symbol.name}\n{body}") for path, symbol, body in found]
    words = bm25.scores(count_words(requested), bodies)
    scores = fuse(
        words, ngrams.scores(requested, [f"{symbol.name}\n{symbol.signature}" for _, symbol, _ in found])
    )
    order = sorted(range(len(found)), key=lambda at: (-scores[at], at))
    return [FunctionMatch(found[at][0], found[at][1], scores[at]) for at in order if words[at] > 0]


def _body(text: str, definition: Definition) -> str:
    lines = text.split("\n")[definition.line - 1 : min(definition.end_line, definition.line + _BODY_LINES)]
    return "\n".join(lines)
