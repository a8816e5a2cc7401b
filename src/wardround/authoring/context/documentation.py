"""The sections of documentation that a task is about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from wardround.authoring.context.base_tree import BaseTree, lines_of
from wardround.authoring.context.budget import Evidence, Span
from wardround.authoring.context.task_words import TaskWords
from wardround.retrieval import bm25
from wardround.retrieval.index import SearchIndex
from wardround.text.search_terms import count_words

_MOST_FILES = 6
_MOST_SECTIONS = 4
_LONGEST_SECTION = 60
_CHANGES = re.compile(
    r"(?i)(?:^|/)(?:changelog|changes|history|news|release[-_ ]?notes|releases|upgrading|whats[-_]?new)\b"
)
_VERSIONED = re.compile(r"(?:^|/)v?\d+(?:\.\d+)+[^/]*$")
_MARKDOWN_HEADING = re.compile(r"#{1,6}\s+\S")
_UNDERLINE = re.compile(r"([=\-~^\"'+*#])\1{2,}\s*$")


def is_changelog(path: str) -> bool:
    """Return True for a file that lists the changes of releases."""
    return _CHANGES.search(path) is not None or _VERSIONED.search(path) is not None


def sections_about(words: TaskWords, tree: BaseTree, index: SearchIndex) -> list[Evidence]:
    """Return the sections that share the rarest words with a task, best first; none of a changelog."""
    paths = [path for path in tree.documents if not is_changelog(path)]
    entries = tree.entries(paths)
    scores = index.words_scores(words.terms, entries)
    order = sorted(range(len(paths)), key=lambda at: (-round(scores[at], 6), paths[at]))
    first = [paths[at] for at in order[:_MOST_FILES] if scores[at] > 0]
    found = [span for path in first for span in _sections(path, lines_of(tree.text(path) or ""))]
    return list(_best(words, found, tree))


def _best(words: TaskWords, found: Sequence[Span], tree: BaseTree) -> Iterator[Evidence]:
    texts = [_words_of(span, tree) for span in found]
    scores = bm25.scores(words.terms, texts)
    order = sorted(range(len(found)), key=lambda at: (-round(scores[at], 6), found[at]))
    for at in order[:_MOST_SECTIONS]:
        shared = sorted(words.terms.keys() & texts[at].keys(), key=lambda term: (-len(term), term))
        if len(shared) > 1:
            yield found[at], (words.reason(shared),)


def _words_of(span: Span, tree: BaseTree) -> Counter[str]:
    return count_words("\n".join((span.symbol, *tree.lines(span.path)[span.first_line - 1 : span.last_line])))


def _sections(path: str, lines: Sequence[str]) -> Iterator[Span]:
    """Yield the sections of a document, cut to their first lines."""
    starts = list(_headings(lines))
    for at, (line, title) in enumerate(starts):
        end = starts[at + 1][0] - 1 if at + 1 < len(starts) else len(lines)
        end = min(end, line + _LONGEST_SECTION - 1)
        while end > line and not lines[end - 1].strip():
            end -= 1
        yield Span(path, line, end, title)


def _headings(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    is_fenced = False
    if lines and not _is_heading(lines, 0):
        yield 1, ""
    for at, line in enumerate(lines):
        is_fenced ^= line.lstrip().startswith(("```", "~~~"))
        if not is_fenced and _is_heading(lines, at):
            yield at + 1, line.strip("# \t")


def _is_heading(lines: Sequence[str], at: int) -> bool:
    if _MARKDOWN_HEADING.match(lines[at]):
        return True
    underlined = at + 1 < len(lines) and _UNDERLINE.match(lines[at + 1])
    return bool(underlined and lines[at].strip() and not lines[at][0].isspace())
