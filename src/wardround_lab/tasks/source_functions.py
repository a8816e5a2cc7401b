"""The functions of the source files of a history, as an encoder reads them."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from wardround.context.code_graph.extraction import language_of, read_file
from wardround.context.code_graph.model import FileFacts, Symbol, SymbolKind, UseKind
from wardround.context.code_graph.symbol_text import symbol_text
from wardround.lazy import LazyPattern
from wardround.retrieval import bm25
from wardround.retrieval.file_search import is_accompanying_file
from wardround.retrieval.test_discovery import contains_tests
from wardround.text.search_terms import count_words
from wardround.training_tasks import Changed, History

PATTERNS = ("*.py", "*.ts", "*.tsx", "*.js", "*.jsx")
_ALIKE, _OTHERS = 20, 11
"""Wrong candidates of a choice: those with the most words in common, and some drawn from the others."""
_CALLABLE = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.COMPONENT})
_CALLS = frozenset({UseKind.CALL, UseKind.RENDERS})
_CALL = LazyPattern(r"\b([^\W\d]\w{2,})\s*\(|<([A-Z]\w+)")


def is_source(path: str) -> bool:
    """Return True for code that is neither a test nor an example."""
    return (
        language_of(path) in ("python", "script")
        and not contains_tests(path)
        and not is_accompanying_file(path)
    )


@dataclass(frozen=True)
class SourceFunction:
    """A function of a file; ``calls`` are the names that it calls or renders."""

    symbol: Symbol
    text: str
    calls: frozenset[str]

    @cached_property
    def words(self) -> Counter[str]:
        return count_words(self.text)


@dataclass(frozen=True)
class SourceFile:
    """A file before or after a commit, with its functions by qualified name."""

    lines: tuple[str, ...]
    functions: dict[str, SourceFunction]


@dataclass
class SourceTrees:
    """The functions of trees; a blob is read once."""

    history: History
    _known: dict[tuple[str, str], SourceFile] = field(default_factory=dict)

    def functions(self, commit: str) -> list[tuple[str, SourceFunction]]:
        """Return the functions of the source files of a commit, with their paths."""
        return [
            (path, function)
            for path, blob in self.history.tree(commit, PATTERNS) if is_source(path)
            for function in self.file(path, blob).functions.values()
        ]  # fmt: skip

    def file(self, path: str, blob: str | None) -> SourceFile:
        """Return a file; without functions if there is none."""
        if blob is None:
            return SourceFile((), {})
        if (path, blob) not in self._known:
            self._known[path, blob] = _read(path, self.history.text(blob) or "")
        return self._known[path, blob]

    def removes(self, change: Changed) -> int:
        """Return the number of lines that a change removes from a file."""
        base, head = self._lines(change)
        return (base - head).total()

    def adds_calls(self, change: Changed) -> bool:
        """Return True if lines that a change adds may call or render something."""
        base, head = self._lines(change)
        return any(_CALL.search(line) for line in head - base)

    def _lines(self, change: Changed) -> tuple[Counter[str], Counter[str]]:
        texts = (self.history.text(change.base_blob) or "", self.history.text(change.blob) or "")
        return Counter(texts[0].split("\n")), Counter(texts[1].split("\n"))


def _read(path: str, text: str) -> SourceFile:
    lines = tuple(text.split("\n"))
    facts = read_file(path, text.encode("utf-8", "surrogateescape")).facts
    calls = _calls(facts)
    return SourceFile(lines, {
        symbol.name: SourceFunction(symbol, symbol_text(symbol, lines), frozenset(calls.get(number, ())))
        for number, symbol in enumerate(facts.symbols)
        if symbol.kind in _CALLABLE
    })  # fmt: skip


def _calls(facts: FileFacts) -> dict[int, set[str]]:
    found: dict[int, set[str]] = {}
    for use in facts.uses:
        if use.kind in _CALLS:
            found.setdefault(use.owner, set()).add(use.name)
    return found


def incorrect_candidates(query: Counter[str], others: Mapping[str, Counter[str]], salt: str) -> list[str]:
    """Return wrong candidates of a choice, most of them with many words of the query; none if there are few.

    Args:
        others: the texts of functions that are not correct, with their words.
        salt: decides which of the others are drawn.
    """
    texts = sorted(others)
    if len(texts) < _OTHERS:
        return []
    scores = bm25.scores(query, [others[text] for text in texts])
    order = sorted(range(len(texts)), key=lambda at: (-scores[at], at))
    drawn = sorted(order[_ALIKE:], key=lambda at: digest(salt, texts[at]))[:_OTHERS]
    return [texts[at] for at in (*order[:_ALIKE], *drawn)]


def digest(*parts: str) -> bytes:
    """Return a digest that orders texts at random, the same each time."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()
