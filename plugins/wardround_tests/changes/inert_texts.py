"""Texts and markup in code: a test of them would only repeat them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from wardround.lazy import LazyPattern
from wardround_tests.changes.arguments import STRING, is_decisive

_PREFIX_LETTERS = "rbfuRBFU"
_PREFIX = LazyPattern(r"(?<!\\)\b[rbfuRBFU]{1,2}\Z")
_SUBSTITUTED = LazyPattern(r"\$\{[^{}]*\}")
_FORMATTED = LazyPattern(r"\{[^{}]*\}")
_MEANS_CODE = LazyPattern(
    r"(?i)\b(?:select\s[^\n]{0,300}?\sfrom|insert\s+into|update\s+\w+\s+set|delete\s+from|where\s+\w+\s*[=<>]"
    r"|order\s+by)|\\[dwsb.]|\(\?|\.\*|[\])][*+?]"
)
"""Queries and regular expressions."""
_DECIDES_BEFORE = LazyPattern(r"(?:[=!]=|\bin|\bcase|[\w$)\]]\s*\[|\?\.\[)\s*$")
_DECIDES_AFTER = LazyPattern(r"\s*(?:[=!]==?|(?:not\s+)?in\b)")
_NEAR = 12
"""Number of characters before a string that can decide about it."""
_TEXT = r"[rbfuRBFU]{0,2}(?:''|\"\"|``|\"{6}|'{6})"
_NAMED = (
    rf"(?:export\s+)?(?:(?:const|let|final|readonly|static)\s+)?(?:[\w$.-]+|{_TEXT})"
    r"(?:\s*:\s*[\w\[\], |]+)?\s*[=:]\s*"
)
_CONSTANT = LazyPattern(rf"^(?:{_NAMED})?(?:{_TEXT}|\(\s*{_TEXT}\s*\))(?:\s*as\s+const)?[,;)\]}}]*$")
"""A line that is a constant string, or assigns one to a name, without its letters."""
_METADATA = LazyPattern(
    r"^(?:__\w+__\s*=|(?:export\s+)?const\s+(?:metadata|viewport|meta)\b[^()]*=\s*\{?$|[\])}({\[,;]*$)"
)
_MARKUP_PATHS = (".tsx", ".jsx", ".vue", ".svelte", ".astro")
_TAG = LazyPattern(r"</?(?:[A-Za-z][\w.:-]*(?:\s+[\w:@.-]+(?:=(?:''|\"\"))?)*\s*)?/?>")
_WORDS = LazyPattern(r"^(?:[A-Z\d][^(){}=;<>`]*\s[^(){}=;<>`]*|<[A-Za-z][\w.:-]*|[\w:-]+=(?:''|\"\")|/?>|)$")
"""Words between tags, and the lines of a tag that has several."""


def has_same_code(path: str, before: Sequence[str], after: Sequence[str]) -> bool:
    """Return True if two versions of a file differ only in texts, markup and metadata.

    Args:
        before, after: their lines of code, from ``blank_strings``.
    """
    same = takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
    count = sum(1 for _ in same)
    return _code_of(path, before[count:]) == _code_of(path, after[count:])


def blank_strings(path: str, text: str) -> str:
    """Return code with strings emptied, except those that affect behaviour or are code; interpolated values
    remain.
    """
    is_python = path.endswith(".py")
    pieces: list[str] = []
    end = 0
    for match in STRING.finditer(text):
        prefix = _prefix_of(text, match.start())
        start = match.start() - len(prefix)
        pieces += (text[end:start], _empty_string(text, prefix, match, has_keywords=is_python))
        end = match.end()
    return "".join((*pieces, text[end:]))


def _prefix_of(text: str, quote: int) -> str:
    """Return the prefix letters before the quote of a string."""
    if quote == 0 or text[quote - 1] not in _PREFIX_LETTERS:
        return ""
    found = _PREFIX.search(text[max(quote - 3, 0) : quote])
    return found[0] if found else ""


def _empty_string(code: str, prefix: str, match: re.Match[str], *, has_keywords: bool) -> str:
    start, text = match.start() - len(prefix), match[0]
    before = code[max(start - _NEAR, 0) : start]
    is_compared = _DECIDES_BEFORE.search(before) or _DECIDES_AFTER.match(code, match.end())
    is_used = is_decisive(code, start, text, has_keywords=has_keywords)
    if is_compared or is_used or _MEANS_CODE.search(text):
        return prefix + text
    mark = text[:3] if text.startswith(('"""', "'''")) else text[0]
    values = _FORMATTED if "f" in prefix.lower() else _SUBSTITUTED if mark == "`" else None
    return f"{mark}{''.join(values.findall(text)) if values else ''}{mark}"


def _code_of(path: str, lines: Sequence[str]) -> list[str]:
    """Return the lines other than strings, markup and metadata; with indentation if it is significant."""
    has_markup, is_python = path.endswith(_MARKUP_PATHS), path.endswith(".py")
    retained = (line for line in lines if not _is_inert(line.strip(), has_markup=has_markup))
    return [line if is_python else line.strip() for line in retained]


def _is_inert(line: str, *, has_markup: bool) -> bool:
    if _CONSTANT.match(line) or _METADATA.match(line):
        return True
    return has_markup and _WORDS.match(_TAG.sub(" ", line).strip()) is not None
