"""The evidence that a file is near a change, by one ranker each.

Every ranker gives files a score above 0 with the symbol and the reason. None of them sees the
others; ``neighbours`` weighs them against one another.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wardround.context.code_graph.extraction import language_of
from wardround.context.code_graph.links import Links
from wardround.context.code_graph.model import Certainty, Link, Relation, Symbol, SymbolKind, UseKind
from wardround.context.code_graph.store import Role
from wardround.context.code_graph.tree_facts import TreeFacts
from wardround.retrieval import bm25
from wardround.retrieval.commit_signals import CommitIndex
from wardround.retrieval.hunk_search import ChangedCode
from wardround.text.search_terms import count_words, parts
from wardround.text.tokens import KEYWORDS

MOST_SYMBOLS = 12
"""Changed symbols whose links are followed, those with the most changed lines."""
_MOST_TERMS = 40
"""Search terms of a change that are searched, the longest: they are the rarest."""
_COMMON = 0.25
"""The share of files with a term or a name, above which it is not evidence."""
_MOST_NAMES = 60
_HALF_LIFE = 200
"""The number of commits after which changing together counts half."""
_NAMED = 0.3
"""The weight of a link only by equal names."""
_UNCHANGED = 0.3
"""The weight of a definition that a changed symbol uses outside of its changed lines."""
_DEFINES = 1.5
"""The weight of a definition of a name against a use, and of the name of a file against its folder."""
_MOST_TIMES = 3
_NAME = re.compile(r"[^\W\d]\w{2,}")
_BESIDES = frozenset({"test", "tests", "spec", "src", "lib", "index", "init", "py", "ts", "tsx", "js", "jsx"})


class Evidence(NamedTuple):
    """A ranker's score of a file, and its strongest reason, which is about the symbol with this number."""

    score: float
    number: int
    relation: Relation
    reason: str


Found = dict[str, Evidence]


class _ScoreSums:
    """Adds up the scores of files; the reason of a file is its strongest."""

    def __init__(self, hunks: Sequence[ChangedCode]) -> None:
        self.changed = frozenset(hunk.path for hunk in hunks)
        self._scores: dict[str, float] = {}
        self._best: dict[str, tuple[float, int, Relation, str]] = {}

    def add(self, path: str, score: float, relation: Relation, reason: str, number: int = 0) -> None:
        """Add evidence about a file; ``number`` is the symbol in it, by default the module."""
        if path in self.changed:
            return
        self._scores[path] = self._scores.get(path, 0.0) + score
        best = self._best.get(path)
        if best is None or (score, -number) > (best[0], -best[1]):
            self._best[path] = (score, number, relation, reason)

    def evidence(self) -> Found:
        return {path: Evidence(score, *self._best[path][1:]) for path, score in self._scores.items()}


class ChangeEvidence:
    """The rankers of one tree."""

    def __init__(self, tree: TreeFacts, links: Links) -> None:
        self._tree = tree
        self._links = links

    def columns(self, hunks: Sequence[ChangedCode], past: Sequence[CommitIndex]) -> dict[str, Found]:
        """Return the scores of the files that the hunks are not in, by ranker.

        The words of hunks that are not code are not evidence: prose shares words with everything.

        Args:
            past: the commits before the change, newest first.
        """
        code = [hunk for hunk in hunks if language_of(hunk.path)]
        return {
            "links": self._score_by_links(code),
            "imports": self._score_by_imports(code),
            "names": self._score_by_names(code),
            "text": self._score_by_text(code),
            "path": self._score_by_path(hunks),
            "history": self._score_by_history(hunks, past),
        }

    def changed_symbols(self, hunks: Sequence[ChangedCode]) -> list[Symbol]:
        """Return the innermost symbols that hunks are in, those with the most changed lines first."""
        lines: Counter[Symbol] = Counter()
        for hunk in hunks:
            for symbol in self._innermost(hunk):
                lines[symbol] += min(symbol.end_line, hunk.end_line) - max(symbol.line, hunk.line) + 1
        return sorted(lines, key=lambda line: (-lines[line], line))

    def _innermost(self, hunk: ChangedCode) -> list[Symbol]:
        symbols = self._tree.outline(hunk.path).symbols
        named = [
            symbol
            for symbol in symbols
            if symbol.name and symbol.line <= hunk.end_line and hunk.line <= symbol.end_line
        ]
        outer = {symbol.owner_name for symbol in named}
        inner = [symbol for symbol in named if symbol.name not in outer]
        return inner or named or list(symbols[:1])

    # Rankers

    def _score_by_links(self, hunks: Sequence[ChangedCode]) -> Found:
        board = _ScoreSums(hunks)
        for symbol in self.changed_symbols(hunks)[:MOST_SYMBOLS]:
            if symbol.name:
                self._add_links(board, symbol, hunks)
        return board.evidence()

    def _add_links(self, board: _ScoreSums, symbol: Symbol, hunks: Sequence[ChangedCode]) -> None:
        callers = self._links.callers(symbol)
        for link in callers:
            relation = Relation.TEST if link.symbol.kind is SymbolKind.TEST else Relation.CALLER
            reason = f"{_verb(link)} {symbol.name} at line {link.line}"
            self._add(board, link.symbol, _link_weight(link, len(callers)), relation, reason)
        callees = [link for link in self._links.callees(symbol) if link.symbol.name]
        for link in callees:
            near = 1.0 if _is_changed(link, hunks) else _UNCHANGED
            reason = f"is used by {symbol.name} at line {link.line}"
            self._add(board, link.symbol, near * _link_weight(link, len(callees)), Relation.CALLEE, reason)
        for similar in self._links.similar(symbol):
            reason = f"is similar to {symbol.name}"
            self._add(board, similar.symbol, similar.similarity, Relation.SIMILAR, reason)

    def _add(self, board: _ScoreSums, symbol: Symbol, score: float, relation: Relation, reason: str) -> None:
        if symbol.path not in board.changed:
            number = self._tree.outline(symbol.path).symbols.index(symbol)
            board.add(symbol.path, score, relation, reason, number)

    def _score_by_imports(self, hunks: Sequence[ChangedCode]) -> Found:
        board = _ScoreSums(hunks)
        for path in sorted(board.changed):
            importers, imported = self._links.importers(path), self._links.imported_files(path)
            for importer in importers:
                reason = f"imports {path} at line {importer.line}"
                board.add(importer.path, 1 / math.log2(2 + len(importers)), Relation.IMPORTER, reason)
            for other in imported:
                reason = f"is imported by {path}"
                board.add(other, 1 / math.log2(2 + len(imported)), Relation.IMPORTED, reason)
        return board.evidence()

    def _score_by_names(self, hunks: Sequence[ChangedCode]) -> Found:
        """Files that define or use the names of the changed lines; rare names count more."""
        board = _ScoreSums(hunks)
        names = {name for hunk in hunks for name in _NAME.findall(hunk.text)} - KEYWORDS
        for name in sorted(names, key=lambda word: (-len(word), word))[:_MOST_NAMES]:
            defining = self._tree.files_with(name, Role.DEFINES)
            using = set(self._tree.files_with(name, Role.USES)) - set(defining)
            rarity = self._rarity(len(defining) + len(using))
            if rarity:
                for path in defining:
                    board.add(path, _DEFINES * rarity, Relation.TEXT, f"defines {name}")
                for path in sorted(using):
                    board.add(path, rarity, Relation.TEXT, f"uses {name}")
        return board.evidence()

    def _score_by_text(self, hunks: Sequence[ChangedCode]) -> Found:
        """BM25 of files over the words of the changed lines; a symbol that has a word is an occurrence."""
        words = count_words("\n".join(f"{hunk.function}\n{hunk.text}" for hunk in hunks))
        terms = sorted(set(words) - KEYWORDS, key=lambda word: (-len(word), word))[:_MOST_TERMS]
        average = max(
            sum(row.words for row in self._tree.files.values()) / max(len(self._tree.files), 1), 1.0
        )
        board = _ScoreSums(hunks)
        for term in terms:
            rows = self._tree.symbols_with_word(term)
            times = Counter(path for path, _ in rows)
            weight = self._rarity(len(times)) * min(words[term], _MOST_TIMES)
            if weight:
                first: dict[str, int] = {}
                for path, number in rows:
                    first[path] = min(number, first.get(path, number))
                for path, count in times.items():
                    score = weight * bm25.term_weight(count, self._tree.files[path].words, average)
                    board.add(path, score, Relation.TEXT, f"contains the word {term!r}", first[path])
        return board.evidence()

    def _score_by_path(self, hunks: Sequence[ChangedCode]) -> Found:
        """Files whose path has the rare words of a changed path; in the names of both they count more."""
        board = _ScoreSums(hunks)
        for path in sorted(board.changed):
            for word in sorted(set(parts(path)) - _BESIDES):
                others = self._tree.paths_by_word.get(word, {})
                rarity = self._rarity(len(others))
                if rarity:
                    for other, is_name in others.items():
                        score = rarity * (_DEFINES if is_name and others.get(path) else 1.0)
                        board.add(other, score, Relation.SIBLING, f"has {word!r} in its path, as {path}")
        return board.evidence()

    def _score_by_history(self, hunks: Sequence[ChangedCode], past: Sequence[CommitIndex]) -> Found:
        """Files that earlier commits changed together with those of the hunks."""
        board = _ScoreSums(hunks)
        for age, commit in enumerate(past):
            common = board.changed.intersection(commit.paths)
            if common:
                weight = 0.5 ** (age / _HALF_LIFE) * len(common) / len(commit.paths)
                reason = f"an earlier commit changed it together with {min(common)}"
                for path in commit.paths:
                    if path in self._tree.files:
                        board.add(path, weight, Relation.HISTORY, reason)
        return board.evidence()

    def _rarity(self, files: int) -> float:
        """Return the weight of a word or name contained in a number of files; 0 if it is not evidence."""
        count = len(self._tree.files)
        return bm25.idf(count, files) if 0 < files <= _COMMON * count else 0.0


def _link_weight(link: Link, count: int) -> float:
    """Return the weight of a link: less for one of many, and for one by equal names only."""
    certain = 1.0 if link.certainty is Certainty.RESOLVED else _NAMED
    return certain / math.log2(2 + count)


def _is_changed(link: Link, hunks: Sequence[ChangedCode]) -> bool:
    return any(hunk.path == link.path and hunk.line <= link.line <= hunk.end_line for hunk in hunks)


def _verb(link: Link) -> str:
    return {UseKind.CALL: "calls", UseKind.RENDERS: "renders", UseKind.INHERITS: "extends"}.get(
        link.kind, "uses"
    )


def scores(columns: Mapping[str, Found]) -> dict[str, dict[str, float]]:
    """Return the scores alone, by ranker and path."""
    return {
        name: {path: evidence.score for path, evidence in found.items()} for name, found in columns.items()
    }
