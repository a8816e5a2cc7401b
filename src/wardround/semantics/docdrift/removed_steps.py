"""Texts that describe a removed step of a function or a removed choice."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from wardround.checks.lazy import LazyPattern
from wardround.semantics.docdrift.comment_lines import CommentedSource, CommentSyntax
from wardround.semantics.docdrift.stale_comments import StalePhrase, comment_lines, is_historical, phrase_at
from wardround.semantics.semdiff.replacements import Replacement, SwapKind, changed_lines
from wardround.text.tokens import KEYWORDS, QUOTED

_STEPS: tuple[tuple[LazyPattern, LazyPattern], ...] = (
    (
        LazyPattern(
            r"\bsorted\(|\.(?:to)?[sS]ort(?:ed|By|_by|_values)?\(|\b[oO]rder[_ ]?[bB]y\b|\bORDER BY\b"
        ),
        LazyPattern(
            r"(?i)\b(?:sorted|ordered|in (?:ascending|descending|alphabetical) order|(?:newest"
            r"|oldest) first)\b"
        ),
    ),
    (
        LazyPattern(
            r"\.(?:lower|casefold|toLowerCase|toLocaleLowerCase|upper|toUpperCase)\(|IGNORECASE"
            r"|\bre\.I\b|\bILIKE\b|/[gmsuy]*i[gmsuy]*\b"
        ),
        LazyPattern(
            r"(?i)\bcase[- ]?insensitiv\w+|\bignor(?:es|ing) case\b|\bregardless of case\b|\bin "
            r"(?:lower|upper) case\b"
        ),
    ),
    (
        LazyPattern(r"\.(?:l|r)?strip\(|\.trim(?:Start|End)?\(|\bTRIM\("),
        LazyPattern(
            r"(?i)\b(?:trimmed|stripped|(?:without|removes?|strips?) (?:the )?(?:surrounding "
            r"|leading |trailing )?(?:white ?space|blanks|spaces))\b"
        ),
    ),
    (
        LazyPattern(
            r"@(?:functools\.)?(?:lru_)?cache\b|@cached|@memoize|\bmemo(?:ize)?\(|\bcache\.(?:get|set)\("
        ),
        LazyPattern(r"(?i)\b(?:cached|memoi[sz]ed)\b"),
    ),
    (
        LazyPattern(
            r"\bset\(|\bnew Set\(|\bDISTINCT\b|\bdistinct\(|\.unique\(|\buniq(?:By|ue)?\(|dict\.fromkeys\("
        ),
        LazyPattern(
            r"(?i)\bwithout duplicates\b|\bunique\b|\bdistinct\b|\bduplicates (?:are )?(?:removed"
            r"|dropped|left out)\b|\bdeduplicat\w+"
        ),
    ),
    (
        LazyPattern(r"\bwith_retr|@retry|\bretry\(|\bRetrying\(|@backoff\.|pRetry\("),
        LazyPattern(r"(?i)\bretr(?:y|ies|ied)\b|\btr(?:ies|ied) again\b"),
    ),
    (
        LazyPattern(r"\bround\(|\.toFixed\(|\.quantize\(|Math\.round\("),
        LazyPattern(r"(?i)\brounded\b|\brounds?\b"),
    ),
    (
        LazyPattern(r"\.(?:atomic|transaction|begin)\(|\$transaction\(|@transaction"),
        LazyPattern(r"(?i)\b(?:atomic(?:ally)?|in (?:a|one) transaction|all or nothing)\b"),
    ),
    (
        LazyPattern(r"\.reverse\(|\breversed\(|reverse=True|\[::-1\]"),
        LazyPattern(
            r"(?i)\b(?:in reverse|reversed|(?:newest|latest|largest|most recent) first|descending)\b"
        ),
    ),
)
"""The calls of a step, and the words for it."""
_THROWN = LazyPattern(r"\b(?:raise|throw(?:\s+new)?)\s+([A-Z]\w+)")
_NOTHING = LazyPattern(r"^\s*return\b\s*(?:None|null|undefined|false|False|\[\]|\{\}|\"\"|''|0)?\s*;?\s*$")
_CALLED = LazyPattern(r"\b([A-Za-z_]\w*)\(")
_PLAIN_CALLS = frozenset(
    {"list", "tuple", "dict", "str", "int", "len", "bool", "iter", "float", "String", "Number"}
)
_LINES_AT_MOST = 12
_STRINGS = LazyPattern(r"[\"'`]([A-Za-z][\w-]{1,24})[\"'`]")
_CHOICES_AT_LEAST = 2


def stale_steps(
    base: str, text: str, marks: CommentSyntax, is_added: Callable[[int], bool]
) -> list[StalePhrase]:
    """Return the texts about a function that describe a step or an error that the change removed from it."""
    before, after = changed_lines(base, text)
    if not before or len(before) + len(after) > _LINES_AT_MOST:
        return []
    gone = "\n".join(line for _, line in before)
    come = "\n".join(line for _, line in after)
    steps = [(did, said) for did, said in _STEPS if did.search(gone) and not did.search(come)]
    thrown = {
        name
        for name in _THROWN.findall(gone)
        if name not in text.replace(f"{name}:", "").replace(f"@throws {name}", "")
    }
    if not steps and not (thrown and any(_NOTHING.match(line) for _, line in after)):
        return []
    if {*_CALLED.findall(come)} - {*_CALLED.findall(base)} - KEYWORDS - _PLAIN_CALLS:
        return []  # a function of its own may do it now
    return list(_stale_steps(base, text, marks, is_added, steps, [line for _, line in before]))


_Step = tuple[LazyPattern, LazyPattern]


def _stale_steps(
    base: str,
    text: str,
    marks: CommentSyntax,
    is_added: Callable[[int], bool],
    steps: list[_Step],
    gone: list[str],
) -> Iterator[StalePhrase]:
    old, new = comment_lines(base, marks), comment_lines(text, marks)
    for did, said in steps:
        for line in (one for one in gone if did.search(one)):
            function = _function_of(old, line)
            number = _line_of_function(new, function) if function else None
            if number is None or any(did.search(new.code[n - 1]) for n in (number, *new.body(number))):
                continue
            piece = did.search(line)
            swap = Replacement(SwapKind.NAME, piece[0].strip(".(@ ") if piece else "", "", number, "", line)
            for place in new.documentation(number):
                prose = new.words[place - 1]
                match = said.search(prose)
                if match and not is_added(place) and not is_historical(prose):
                    start, end = match.span()
                    yield StalePhrase(place, start + 1, end + 1, phrase_at(prose, start, end), swap)
                    break


def _function_of(lines: CommentedSource, line: str) -> str | None:
    """Return the name of the function around a line that occurs once in the text."""
    numbers = [n for n, code in enumerate(lines.lines, 1) if code.strip() == line]
    if len(numbers) != 1:
        return None
    if line.startswith("@"):
        below = (n for n in range(numbers[0] + 1, min(numbers[0] + 4, len(lines.code)) + 1))
        return next((found[1] for n in below if (found := lines.function(n + 1)) and found[0] == n), None)
    found = lines.function(numbers[0])
    return found[1] if found else None


def _line_of_function(lines: CommentedSource, name: str) -> int | None:
    pattern = re.compile(rf"(?:def|function)\s+{re.escape(name)}\b|\b{re.escape(name)}\s*(?:=|\()")
    found = [n for n, code in enumerate(lines.code, 1) if name in code and pattern.search(code)]
    return next((n for n in found if _starts(lines, n, name)), None)


def _starts(lines: CommentedSource, number: int, name: str) -> bool:
    inside = next(
        (n for n in range(number + 1, min(number + 20, len(lines.code)) + 1) if lines.code[n - 1].strip()),
        None,
    )
    function = lines.function(inside) if inside else None
    return function is not None and function == (number, name)


def stale_choices(
    base: str, text: str, marks: CommentSyntax, is_added: Callable[[int], bool]
) -> list[StalePhrase]:
    """Return the texts that list the old choices of a line: a removed one, or all except an added one."""
    before, after = changed_lines(base, text)
    if len(before) + len(after) > 4 * _LINES_AT_MOST:
        return []
    found: list[StalePhrase] = []
    for number, now in after:
        new = _STRINGS.findall(now)
        if len(new) < _CHOICES_AT_LEAST or not comment_lines(text, marks).code[number - 1].strip():
            continue
        shape = _STRINGS.split(now)[0]
        were = [line for _, line in before if _STRINGS.split(line)[0] == shape]
        old = _STRINGS.findall(were[0]) if len(were) == 1 else []
        gone, come = set(old) - set(new), set(new) - set(old)
        if (
            len(old) >= _CHOICES_AT_LEAST
            and len(old) - len(gone) >= 1
            and (gone or come)
            and not (gone and come)
        ):
            one = _listed(
                comment_lines(text, marks), number, was=set(old), gone=gone, come=come, is_added=is_added
            )
            found += [one] if one else []
    return found


def _listed(
    lines: CommentedSource,
    number: int,
    *,
    was: set[str],
    gone: set[str],
    come: set[str],
    is_added: Callable[[int], bool],
) -> StalePhrase | None:
    near = range(max(number - 15, 1), min(number + 15, len(lines.lines)) + 1)
    for place in near:
        if is_added(place) or place == number:
            continue
        pieces = [(0, lines.words[place - 1])]
        pieces += [
            (m.start("text"), m["text"]) for m in QUOTED.finditer(lines.code[place - 1]) if " " in m["text"]
        ]
        for column, prose in pieces:
            named = {
                choice
                for choice in was | come
                if re.search(rf"(?<![\w-]){re.escape(choice)}(?![\w-])", prose)
            }
            stale = named & gone if gone else (was if named == was else set())
            if len(named) < _CHOICES_AT_LEAST or not stale or named & come or is_historical(prose):
                continue
            first = min(stale, key=prose.find)
            start = re.search(rf"(?<![\w-]){re.escape(first)}(?![\w-])", prose)
            if start:
                now = "nothing" if gone else ", ".join(sorted(was | come))
                swap = Replacement(
                    SwapKind.STRING, first if gone else ", ".join(sorted(was)), now, number, "", ""
                )
                begin, end = start.span()
                return StalePhrase(
                    place, column + begin + 1, column + end + 1, phrase_at(prose, begin, end), swap
                )
    return None
