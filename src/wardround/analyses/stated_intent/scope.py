"""Scope creep: the hunk that belongs to no criterion, title or message, nor to another hunk of the change.

A hunk belongs to the change if it shares a distinctive word with the texts that state its intent, or if it
resembles another hunk by its path or its distinctive words. The thresholds were set on 360 commits of httpx,
starlette, celery, documenso, supabase-js and swr; ``evals/intent_notes.py scope`` measures them on others.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from wardround.analyses.stated_intent.notes import ScopeNote
from wardround.change.encoding import escape_undecodable
from wardround.lazy import LazyPattern
from wardround.retrieval import bm25
from wardround.retrieval.documents import query_text
from wardround.retrieval.hunk_search import ChangedCode
from wardround.retrieval.rank_fusion import standardise
from wardround.text.search_terms import count_words, parts

FEWEST_HUNKS = 3
MOST_HUNKS = 150
"""Maximum number of compared hunks: the time is quadratic, and a larger change is about many things."""
_FEWEST_WORDS = 6
"""Distinctive words of a hunk below which they do not show where it belongs."""
_FEWEST_STATED = 2
"""Number of distinctive words below which texts state no intent."""
_NEAR_PATH = 0.6
_SIMILAR = 0.3
"""The share of common words in two paths, and the cosine of two hunks, above which they belong together."""
_MOST_NOTES = 10
_MOST_STRAY = 0.25
"""The share of such hunks, if there are several, above which the texts are too brief to judge by."""
_LONGEST = 20_000
_COMMON_WORDS = """
    all allow any api app arg argument assert async auth await body boolean byte call case check class client
    code com const content context copy count creat current data date def default depend dict doc els else
    email end env error exampl except exception export fals field file filter for format from function get
    group
    handl handler header http id if import in index info init input int item js json key len let line
    list load log main map max messag method min mit modul name new next no node non none not null number
    object of ok on only option optional org page param parameter pars path post print promis prop public
    queri query rais read ref remov render request requir res result return row run self server set size sourc
    start stat state status str string support tag test text throw time titl token true try type typ undefin
    up updat url use user val valid valu value var version void with writ
"""
_COMMON = frozenset(_COMMON_WORDS.split())
"""Search terms that code of any kind has."""
_VAGUE_WORDS = """
    add address adjust bug chang clean cleanup code comment correct fix fixe implement improv issu minor more
    refactor reformat review small some support tidi tweak updat variou wip work
"""
_VAGUE = frozenset(_VAGUE_WORDS.split())
"""Search terms of messages without the subject of the change."""
_SWEEPING = LazyPattern(
    r"\b(?:(?:re)?format(?:s|ted|ting)?|lint(?:s|er|ing)?|prettier|black|isort|ruff|eslint|rebased?|merged?"
    r"|typos|cleanups?)\b",
    re.IGNORECASE,
)
"""Messages of changes whose hunks may be unrelated."""
_COMPOSITE = LazyPattern(r"[^\W\d]\w*(?:_|[a-z](?=[A-Z]))\w*")
_NOT_WRITTEN = LazyPattern(
    r"(?:^|/)(?:node_modules|vendor|vendored|dist|build|third_party|__snapshots__|migrations|locales?|i18n"
    r"|lang|translations|changes|changelog\.d|newsfragments|\.changeset)/|-env\.d\.ts$|\.(?:lock|snap|svg|po|pot|map|csv)$|\.min\.\w+$|lock\.(?:json|yaml)$"
    r"|(?:^|/)(?:changelog|changes|history|news|authors|contributors)[^/]*$",
    re.IGNORECASE,
)
"""Files that tools write, or that follow from the rest of a change."""


def stray_hunks(texts: Sequence[str], hunks: Sequence[ChangedCode]) -> tuple[ScopeNote, ...]:
    """Return the hunks that belong neither to the stated intent nor to the rest of the change; pure.

    Args:
        texts: the messages of the commits, the title of the ticket and its criteria.
    """
    if not FEWEST_HUNKS <= len(hunks) <= MOST_HUNKS:
        return ()
    scope = HunkScope(texts, hunks)
    stray = scope.stray()
    if len(stray) > max(1, _MOST_STRAY * len(hunks)):
        return ()
    return tuple(sorted(_note(hunks[at]) for at in stray))[:_MOST_NOTES]


def _note(hunk: ChangedCode) -> ScopeNote:
    reason = "it shares no distinctive word with the message, and resembles no other hunk of the change"
    return ScopeNote(escape_undecodable(hunk.path), hunk.line, hunk.end_line, reason)


@dataclass(frozen=True)
class HunkScope:
    """The relation of each hunk of a change to the texts and to the other hunks."""

    texts: Sequence[str]
    hunks: Sequence[ChangedCode]

    def stray(self) -> list[int]:
        """Return the numbers of the hunks that belong to nothing."""
        if len(self._stated_words) < _FEWEST_STATED or any(map(_SWEEPING.search, self.texts)):
            return []
        return [at for at in range(len(self.hunks)) if self._is_stray(at)]

    def scores(self) -> list[float]:
        """Return a score of each hunk's relation to the change: only comparable between its hunks."""
        stated = dict.fromkeys(self._stated_words, 1)
        columns = (
            [math.log1p(score) for score in bm25.scores(stated, self._words)],
            self._paths,
            self._cosines,
        )
        return [math.fsum(row) for row in zip(*map(standardise, columns), strict=True)]

    def _is_stray(self, at: int) -> bool:
        return (
            not self._stated_words & self._words[at].keys()
            and self._paths[at] < _NEAR_PATH
            and self._cosines[at] < _SIMILAR
            and not self._shares_name(at)
            and is_judged(self.hunks[at])
        )

    def _shares_name(self, at: int) -> bool:
        """Return True if another hunk has a composite identifier of this one: it defines or uses the same."""
        return any(self._names[at] & names for to, names in enumerate(self._names) if to != at)

    @cached_property
    def _names(self) -> list[frozenset[str]]:
        found = (_COMPOSITE.findall(hunk.text[:_LONGEST]) for hunk in self.hunks)
        return [frozenset(name for name in names if len(parts(name)) > 1) for names in found]

    @cached_property
    def _stated_words(self) -> frozenset[str]:
        text = "\n".join(query_text(other)[:_LONGEST] for other in self.texts)
        return frozenset(word for word in count_words(text) if _is_distinctive(word)) - _VAGUE

    @cached_property
    def _words(self) -> list[dict[str, int]]:
        return [count_words(f"{hunk.path}\n{hunk.function}\n{hunk.text[:_LONGEST]}") for hunk in self.hunks]

    @cached_property
    def _paths(self) -> list[float]:
        """The similarity of each path to the nearest one of another hunk, 0 to 1; 1 in the same file."""
        names = [Counter(parts(hunk.path)) for hunk in self.hunks]
        return [
            max((_overlap(name, other) for to, other in enumerate(names) if to != at), default=0.0)
            for at, name in enumerate(names)
        ]

    @cached_property
    def _cosines(self) -> list[float]:
        """The cosine of the distinctive words of each hunk with the nearest other hunk, 0 to 1."""
        rows = [_normalise(words) for words in self._words]
        return [
            max((_product(row, other) for to, other in enumerate(rows) if to != at), default=0.0)
            for at, row in enumerate(rows)
        ]


def is_judged(hunk: ChangedCode) -> bool:
    """Return False for a file that tools write, and for a hunk with too few words."""
    if _NOT_WRITTEN.search(hunk.path):
        return False
    return sum(map(_is_distinctive, count_words(hunk.text[:_LONGEST]))) >= _FEWEST_WORDS


def _is_distinctive(word: str) -> bool:
    return word not in _COMMON and not word.isdigit()


def _overlap(counter: Counter[str], other: Counter[str]) -> float:
    return (counter & other).total() / max(1, (counter | other).total())


def _normalise(words: Mapping[str, int]) -> dict[str, float]:
    weights = {word: 1 + math.log(times) for word, times in words.items() if _is_distinctive(word)}
    norm = math.sqrt(math.fsum(weight * weight for weight in weights.values())) or 1.0
    return {word: weight / norm for word, weight in weights.items()}


def _product(mapping: Mapping[str, float], other: Mapping[str, float]) -> float:
    shorter, longer = sorted((mapping, other), key=len)
    return math.fsum(weight * longer[word] for word, weight in shorter.items() if word in longer)
