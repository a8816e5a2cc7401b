"""Intended choice of rows, from the names and docstrings of the surrounding code."""

from __future__ import annotations

import re

from wardround.lazy import LazyPattern
from wardround.storage.regex_cache import bounded_pattern

_WHICH = LazyPattern(
    r"(?i)(?:\b|_)(?:latest|newest|most[_ "
    r"]recent|oldest|earliest|last|top|current|longest|shortest|cheapest)(?=\b|_)|"
    r"(?-i:(?:latest|newest|mostRecent|oldest|earliest|last|current)(?=[A-Z]))|"
    r"(?-i:(?:\b|(?<=[a-z]))(?:Latest|Newest|Oldest|Earliest|Last|MostRecent)(?=[A-Z(]|\b))"
)
_AROUND = LazyPattern(
    r"^[ \t]*(?:export\s+)?(?:default\s+)?(?:(?:async|static|public|private|protected|readonly|const|"
    r"let)\s+)*"
    r"(?:def|function)?\s*(?!(?:if|for|while|with|return|switch|catch|await|try|else|"
    r"elif)\b)(?P<name>[A-Za-z_]\w*)\s*"
    r"(?:<[^>\n]*>)?(?:\(|=)",
    re.MULTILINE,
)
_QUERY_NAME = LazyPattern(r"(?:--|/\*)\s*:?@?name\s*:?\s*(?P<name>[\w-]+)")
"""Name of the following query for sqlc, aiosql, HugSQL and PgTyped."""
_NEAR = 900
"""Characters before a query in which to search for the name of the enclosing function."""


_BATCH = LazyPattern(
    r"(?i)batch|chunk|sweep|worker|cleanup|clean_up|purge|prune|queue|jobs?[/_.]|migrat|cron|scan|"
    r"analy[sz]e|debug|inspect|explore|(?:^|/)(?:check|test|scripts?)[-_/]"
)
_FEW = range(3, 101)
"""Limits of rows that are displayed: two test for uniqueness, many are a batch."""


def works_in_batches(path: str) -> bool:
    """Return True if a file processes all rows in the end, in any order."""
    return _BATCH.search(path) is not None


def is_shown(count: str, query: str) -> bool:
    """Return True if a limit that code builds is on displayed rows: a page of several, or the first few.

    Args:
        count: the limit in the code.
        query: the code of the query.
    """
    if _PAGED.search(query):
        return True
    return count.strip().isdigit() and int(count) in _FEW and not _BATCH.search(query)


_PAGED = LazyPattern(r"(?i)\boffset\b|\bskip\b(?!_?locked)|\bpage\b")


def requests_specific_row(code: str, offset: int) -> bool:
    """Return True if the enclosing function or constant requests a specific row by its name or docstring."""
    before = code[max(offset - _NEAR, 0) : offset]
    named = list(_QUERY_NAME.finditer(before))
    if named and _WHICH.search(named[-1]["name"]):
        return True
    heads = [match for match in _AROUND.finditer(before) if _is_head(before, match)]
    return bool(heads) and _WHICH.search(_name_and_docstring(before, heads[-1])) is not None


def _is_head(before: str, result: re.Match[str]) -> bool:
    """Return True if a line begins a function or a constant, and is not a call or an inner assignment."""
    line = before[result.start() : (before.find("\n", result.start()) + 1 or len(before) + 1) - 1]
    begins = re.match(r"\s*(?:export\s+|async\s+|static\s+|public\s+|private\s+)*(?:def|function)\b", line)
    opens = bounded_pattern(r"\)\s*(?::[^{]*)?\{\s*$|=>\s*[{(]?\s*$").search(line)
    constant = re.match(r"(?:export\s+)?(?:const\s+)?[A-Za-z_]\w*\s*=\s*(?:f?[\"'`]|\()", line)
    return bool(begins or opens or constant)


def _name_and_docstring(before: str, head: re.Match[str]) -> str:
    """Return the name of a function and its first docstring."""
    doc = bounded_pattern(r"^\s*\"\"\"(.*?)\"\"\"", re.DOTALL | re.MULTILINE).search(before[head.end() :])
    return head["name"] + " " + (doc[1].split("\n\n")[0] if doc and doc.start() < 200 else "")
