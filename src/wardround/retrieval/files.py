"""Which files of a tree, and which functions in them, a report is about."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wardround.retrieval import bm25, ngrams
from wardround.retrieval.embedder import Embedder
from wardround.retrieval.functions import Function, functions
from wardround.retrieval.fusion import fused
from wardround.retrieval.index import Entry, Index, Progress
from wardround.retrieval.texts import query_text
from wardround.retrieval.words import counted

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


@dataclass(frozen=True, slots=True)
class FunctionMatch:
    """A definition of a file that was found; ``score`` orders the definitions of one query."""

    path: str
    function: Function
    score: float


@dataclass(frozen=True, slots=True)
class FileMatch:
    """A file and how well it answers. ``score`` orders the files of one query and means nothing beyond it."""

    path: str
    score: float
    lexical: float
    model: float | None


def is_source(path: str) -> bool:
    """Whether a report can be about the file: source or settings that people write."""
    name = path.rpartition("/")[2]
    known = name in _NAMES or name.startswith("Dockerfile.") or name.rpartition(".")[2].lower() in _SUFFIXES
    return known and not _GENERATED.search(path)


def is_beside(path: str) -> bool:
    """Whether a file only stands beside the source, told from its path: a test, an example, documentation."""
    return _BESIDE.search(path) is not None


def locate(
    query: str,
    entries: Sequence[Entry],
    read: Callable[[Entry], str | None],
    index: Index,
    embedder: Embedder | None = None,
    progress: Progress = lambda text: None,
) -> list[FileMatch]:
    """The files a report is about, best first; without an embedder only those that share a word with it.

    Args:
        entries: the candidates.
        read: the text of an entry, asked for what the index does not know yet.
    """
    index.update(entries, read, embedder, progress)
    asked = query_text(query)
    words = index.words_scores(counted(asked), entries)
    closeness = None if embedder is None or not entries else index.closeness(asked, entries, embedder)
    scores = fused(words, *(() if closeness is None else (closeness,)))
    found = [
        FileMatch(entry.path, scores[at], words[at], None if closeness is None else closeness[at])
        for at, entry in enumerate(entries)
        if closeness is not None or words[at] > 0
    ]
    return sorted(found, key=lambda one: (-one.score, one.path))


def locate_functions(query: str, texts: Sequence[tuple[str, str]]) -> list[FunctionMatch]:
    """The definitions of some files that share a word with a report, best first.

    Args:
        texts: paths and texts of the files, as ``locate`` found them.

    By words alone: a model that put the first of them in another order was measured to add nothing.
    """
    asked = query_text(query)
    found = [(path, one, _body(text, one)) for path, text in texts for one in functions(path, text)]
    bodies = [counted(f"{path}\n{one.name}\n{body}") for path, one, body in found]
    words = bm25.scores(counted(asked), bodies)
    scores = fused(words, ngrams.scores(asked, [f"{one.name}\n{one.signature}" for _, one, _ in found]))
    order = sorted(range(len(found)), key=lambda at: (-scores[at], at))
    return [FunctionMatch(found[at][0], found[at][1], scores[at]) for at in order if words[at] > 0]


def _body(text: str, one: Function) -> str:
    lines = text.split("\n")[one.line - 1 : min(one.end_line, one.line + _BODY_LINES)]
    return "\n".join(lines)
