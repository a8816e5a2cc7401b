"""The sections of documentation that a task is about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from wardround.authoring.context.base_tree import BaseTree
from wardround.authoring.context.budget import Evidence, Span
from wardround.authoring.context.task_words import TaskWords
from wardround.lazy import LazyPattern
from wardround.retrieval import bm25
from wardround.retrieval.index import SearchIndex
from wardround.text.search_terms import count_words

_MOST_FILES = 6
_MOST_SECTIONS = 4
_LONGEST_SECTION = 60
_CHANGES = LazyPattern(
    r"(?i)(?:^|/)(?:changelog|changes|history|news|release[-_ ]?notes|releases|upgrading|what.?s[-_]?new)\b"
)
_VERSIONED = LazyPattern(r"(?:^|/)v?\d+(?:\.\d+)+[^/]*$")
_TITLE = LazyPattern(r"\S")
_FENCES = ("```", "~~~")
_DECIMALS = 6
_MARKDOWN_HEADING = LazyPattern(r"#{1,6}\s+\S")
_UNDERLINE = LazyPattern(r"([=\-~^\"'+*#])\1{2,}\s*$")


def is_changelog(path: str) -> bool:
    """Return True for a file that lists the changes of releases."""
    return _CHANGES.search(path) is not None or _VERSIONED.search(path) is not None


def sections_about(words: TaskWords, tree: BaseTree, index: SearchIndex) -> list[Evidence]:
    """Return the sections that share the rarest words with a task, best first; none of a changelog."""
    found: list[Span] = []
    for path in _first_documents(words, tree, index):
        found += _sections(path, tree.lines(path))
    return list(_best(words, found, tree))


def _first_documents(words: TaskWords, tree: BaseTree, index: SearchIndex) -> list[str]:
    paths = [path for path in tree.documents if not is_changelog(path)]
    scores = index.words_scores(words.terms, tree.entries(paths))
    scored = ((-round(score, _DECIMALS), path) for score, path in zip(scores, paths, strict=True))
    return [path for score, path in sorted(scored)[:_MOST_FILES] if score < 0]


def _best(words: TaskWords, found: Sequence[Span], tree: BaseTree) -> Iterator[Evidence]:
    texts = [_words_of(span, tree) for span in found]
    scores = bm25.scores(words.terms, texts)
    order = sorted(range(len(found)), key=lambda at: (-round(scores[at], _DECIMALS), found[at]))
    for at in order[:_MOST_SECTIONS]:
        shared = words.terms.keys() & texts[at].keys()
        if len(shared) > 1:
            first = sorted(shared, key=lambda term: (-len(term), term))
            yield found[at], (words.reason(first),)


def _words_of(span: Span, tree: BaseTree) -> Counter[str]:
    lines = tree.lines(span.path)[span.first_line - 1 : span.last_line]
    return count_words("\n".join((span.symbol, *lines)))


def _sections(path: str, lines: Sequence[str]) -> Iterator[Span]:
    """Yield the sections of a document, cut to their first lines."""
    starts = list(_headings(lines))
    ends = [line - 1 for line, _ in starts[1:]] + [len(lines)]
    for (line, title), end in zip(starts, ends, strict=True):
        last = min(end, line + _LONGEST_SECTION - 1)
        while last > line and not lines[last - 1].strip():
            last -= 1
        yield Span(path, line, last, title)


def _headings(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the line and text of each heading; a text before the first one has none."""
    is_fenced = False
    for at, line in enumerate(lines):
        if line.lstrip().startswith(_FENCES):
            is_fenced = not is_fenced
        is_heading = not is_fenced and _is_heading(lines, at)
        if is_heading or at == 0:
            yield at + 1, line.strip("# \t") if is_heading else ""


def _is_heading(lines: Sequence[str], at: int) -> bool:
    line = lines[at]
    if _MARKDOWN_HEADING.match(line):
        return True
    below = "".join(lines[at + 1 : at + 2])
    return _UNDERLINE.match(below) is not None and _TITLE.match(line) is not None
