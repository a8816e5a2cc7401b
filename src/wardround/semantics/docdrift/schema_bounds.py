"""Bounds that texts still state after the schema changed them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from wardround.checks.lazy import LazyPattern
from wardround.semantics.docdrift.comment_lines import CommentSyntax
from wardround.semantics.docdrift.stale_comments import StalePhrase, comment_lines, is_historical, phrase_at
from wardround.semantics.semdiff.replacements import Replacement, SwapKind
from wardround.text.tokens import parts

_BOUND = LazyPattern(
    r"(?:\.(?P<method>min|max|minLength|maxLength)\(\s{0,9}"
    r"|\b(?P<option>min_length|max_length|minLength|maxLength|minimum|maximum)\s?[=:]\s?)(?P<number>\d{1,9})\b"
)
_FIELD = LazyPattern(r"([A-Za-z_]\w*)[\"']?\s{0,3}[:=]\s{0,3}(?:[\w.]{1,40}\s?=\s?)?[A-Za-z_]")
_LOOK_BACK = 200
"""The number of characters before a bound that may contain the name of its field."""
_SAID = {
    "min": r"(?i)(?:\bmin(?:imum|\.)?(?: (?:of|length|length of))?:?|\bat least|\bno (?:less|fewer) than)"
    r" (%s)\b"
    r"|\b(%s)(?: \w+)? (?:or more|minimum)\b",
    "max": r"(?i)(?:\bmax(?:imum|\.)?(?: (?:of|length|length of))?:?|\bat most|\bup to|\bno more than"
    r"|\blimit(?:ed)? (?:of|to)) (%s)\b|\b(%s)(?: \w+)? (?:or (?:less|fewer)|maximum)\b",
}


def stale_bounds(
    base: str, text: str, marks: CommentSyntax, is_added: Callable[[int], bool]
) -> list[StalePhrase]:
    """Return the texts anywhere in a file that name a field and its old bound."""
    found: list[StalePhrase] = []
    changed = list(_changed(base, text))
    lines = comment_lines(text, marks) if changed else None
    for side, field, was, swap in changed:
        said = re.compile(_SAID[side].replace("%s", was))
        for number, prose in enumerate(lines.words if lines is not None else (), 1):
            match = said.search(prose) if was in prose and not is_added(number) else None
            if match is None or is_historical(prose) or not _names(field, prose):
                continue
            start, end = match.span(1 if match[1] else 2)
            found.append(StalePhrase(number, start + 1, end + 1, phrase_at(prose, start, end), swap))
    return found


def _changed(base: str, text: str) -> Iterator[tuple[str, str, str, Replacement]]:
    """Return side, field and old number of each bound that occurs once in both texts and differs."""
    if not _BOUND.search(base):
        return
    new = _bounds(text)
    for (side, field), old in _bounds(base).items():
        now = new.get((side, field), [])
        if len(old) == len(now) == 1 and old[0][0] != now[0][0]:
            (was, _), (became, offset) = old[0], now[0]
            line = text.count("\n", 0, offset) + 1
            yield side, field, was, Replacement(SwapKind.NUMBER, was, became, line, field, "")


def _bounds(text: str) -> dict[tuple[str, str], list[tuple[str, int]]]:
    """Return side and field -> the numbers that bound it, with their offsets."""
    found: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for match in _BOUND.finditer(text):
        side = (match["method"] or match["option"])[:3]
        fields = _FIELD.findall(text[max(0, match.start() - _LOOK_BACK) : match.start()])
        if fields:
            found.setdefault((side, fields[-1]), []).append((match["number"], match.start("number")))
    return found


def _names(field: str, prose: str) -> bool:
    """Return True if a text names a field, in one word or in its parts."""
    said = prose.lower()
    words = parts(field)
    return bool(words) and all(word in said for word in words)
