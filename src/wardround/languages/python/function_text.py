"""The functions of a module found by a text scan, without parsing it.

This makes the review of a commit cheap, and that of years of history a matter of minutes: only differing
functions are parsed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import msgspec
from msgspec.structs import replace

from wardround.lazy import LazyPattern

_DEFINITION = LazyPattern(r"\n([ \t]*)(async[ \t]+def|def|class)[ \t]+([^\W\d]\w*)")
_OPENS = LazyPattern("[#'\"]")
_SHORT_STRING = LazyPattern(r""""[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*'""")
_GAP = LazyPattern(r"\n\n(?=def |class |async |@)")
"""Between two blocks at the top of a module."""
_LONG_QUOTES = ('"""', "'''")
_CHARACTERS_AT_MOST = 40_000
_TEXTS_KEPT = 64
"""In a history, the source before one commit is the source after another."""


class FunctionText(msgspec.Struct, frozen=True):
    """The source of one function.

    Attributes:
        name: qualified within the module.
        line: line number of its first decorator or its ``def``, 1-based.
        text: complete lines, from there to its end.
    """

    name: str
    indent: int
    line: int
    text: str


def differing(old_text: str, new_text: str) -> Sequence[tuple[FunctionText, FunctionText]]:
    """Yield each changed function that had a long string, such as a docstring: before and after."""
    if not any(quote in old_text for quote in _LONG_QUOTES):
        return ()
    return tuple(pair for pair in changed_functions(old_text, new_text) if _is_of_interest(*pair))


@lru_cache(maxsize=2)
def changed_functions(old_text: str, new_text: str) -> Sequence[tuple[FunctionText, FunctionText]]:
    """Yield each function whose text differs, before and after.

    If a name is bound more than once, the versions are matched by their order if there are as many as before.
    In the order of the new text.
    """
    if only_appends(old_text, new_text):
        return ()
    before, after = same_blocks(old_text, new_text)
    passed = old_text.count("\n", 0, before)
    old = _group_by_name(function_texts(old_text[before : len(old_text) - after]))
    results = []
    for name, versions in _group_by_name(function_texts(new_text[before : len(new_text) - after])).items():
        if len(old.get(name, ())) == len(versions):
            pairs = zip(old[name], versions, strict=True)
            results += [(a, b) for a, b in pairs if a.text != b.text]
    results.sort(key=lambda pair: pair[1].line)
    return tuple((replace(a, line=a.line + passed), replace(b, line=b.line + passed)) for a, b in results)


def only_appends(old: str, new: str) -> bool:
    """Return True if all new text follows the old text, and is in none of its blocks."""
    return new.startswith(old) and not new[len(old) :].lstrip("\r\n")[:1].isspace()


@lru_cache(maxsize=2)
def same_blocks(old: str, new: str) -> tuple[int, int]:
    """Return the length of the common prefix and suffix, in complete blocks of the module."""
    start = _same_at_start(old, new)
    gap_end = _last_gap_end(old[:start])
    before = gap_end if _is_outside_strings(old[:gap_end]) else 0
    end = _same_at_end(old[before:], new[before:])
    gap = _GAP.search(old, len(old) - end)
    after = len(old) - gap.end() if gap else 0
    sides = (text[before : len(text) - after] for text in (old, new))
    return before, after if all(map(_is_outside_strings, sides)) else 0


def _last_gap_end(text: str) -> int:
    """Return the end of the last gap; 0 if there is none."""
    at = text.rfind("\n\n")
    while at >= 0:
        gap = _GAP.match(text, at)
        if gap is not None:
            return gap.end()
        at = text.rfind("\n\n", 0, at + 1)
    return 0


def _is_outside_strings(text: str) -> bool:
    """Return True if no long string is open at the end of a string."""
    return all(text.count(quote) % 2 == 0 for quote in _LONG_QUOTES)


def _same_at_start(value: str, other: str) -> int:
    low, high = 0, min(len(value), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if value[low:middle] == other[low:middle] else (low, middle - 1)
    return low


def _same_at_end(value: str, other: str) -> int:
    low, high = 0, min(len(value), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        same = value[len(value) - middle : len(value) - low] == other[len(other) - middle : len(other) - low]
        low, high = (middle, high) if same else (low, middle - 1)
    return low


def _is_of_interest(old: FunctionText, new: FunctionText) -> bool:
    """Return True if there can be a docstring, and the function is not a table in disguise."""
    longest = max(len(old.text), len(new.text))
    return longest <= _CHARACTERS_AT_MOST and any(quote in old.text for quote in _LONG_QUOTES)


def _group_by_name(functions: Sequence[FunctionText]) -> dict[str, list[FunctionText]]:
    result: dict[str, list[FunctionText]] = {}
    for function in functions:
        result.setdefault(function.name, []).append(function)
    return result


@lru_cache(maxsize=_TEXTS_KEPT)
def function_texts(text: str) -> Sequence[FunctionText]:
    """Return the functions and methods of a module, except nested functions, in the order of the text."""
    text = "\n" + text
    masked = _blank_long_strings(text)
    stack: list[tuple[int, str, bool]] = []
    results = []
    line, counted_to = 0, 0
    for match in _DEFINITION.finditer(masked):
        while stack and stack[-1][0] <= match.start():
            stack.pop()
        if stack and stack[-1][2]:
            continue
        name = f"{stack[-1][1]}.{match[3]}" if stack else match[3]
        end = _block_end(masked, match)
        is_class = match[2] == "class"
        stack.append((end, name, not is_class))
        if not is_class:
            start = _first_decorator(masked, match.start() + 1, len(match[1]))
            line += text.count("\n", counted_to, start)
            counted_to = start
            results.append(FunctionText(name, len(match[1]), line, text[start:end].rstrip()))
    return tuple(results)


def _blank_long_strings(text: str) -> str:
    """Return the text with spaces in triple-quoted strings, so that nothing in them is parsed as code."""
    pieces: list[str] = []
    location = 0
    following = dict.fromkeys(_LONG_QUOTES, -1)
    while True:
        for quote, at in following.items():
            if at < location:
                result = text.find(quote, location)
                following[quote] = result if result >= 0 else len(text)
        start = min(following.values())
        if start == len(text):
            return "".join((*pieces, text[location:]))
        if _is_opaque(text, start):
            pieces.append(text[location : start + 3])
            location = start + 3
            continue
        end = _string_end(text, start)
        blank = "\n".join([" " * len(line) for line in text[start + 1 : end].split("\n")])
        pieces += [text[location : start + 1], blank]
        location = end


def _is_opaque(text: str, place: int) -> bool:
    """Return True if a position is in a comment or in a string of one line."""
    before = text[text.rfind("\n", 0, place) + 1 : place]
    return _OPENS.search(before) is not None and _OPENS.search(_SHORT_STRING.sub("", before)) is not None


def _string_end(text: str, start: int) -> int:
    quote = text[start : start + 3]
    end = text.find(quote, start + 3)
    while end >= 0 and text[end - 1] == "\\" and text[end - 2] != "\\":
        end = text.find(quote, end + 1)
    return end + 3 if end >= 0 else len(text)


@lru_cache(maxsize=64)
def _dedent_pattern(indent: int) -> re.Pattern[str]:
    """Return the start of a line that ends a block; a closing bracket and a comment do not."""
    return re.compile(rf"\n[ \t]{{0,{indent}}}[^\s)\]}}#]")


def _block_end(masked: str, definition: re.Match[str]) -> int:
    match = _dedent_pattern(len(definition[1])).search(masked, definition.end())
    return match.start() if match else len(masked)


def _first_decorator(masked: str, start: int, indent: int) -> int:
    """Return the start of the decorators of a definition, including multi-line ones."""
    location = start
    while location > 1:
        above = masked.rfind("\n", 0, location - 1) + 1
        line = masked[above : location - 1]
        bare = line.lstrip()
        depth = len(line) - len(bare)
        if depth == indent and bare.startswith("@"):
            start = above
        elif not bare or not (depth > indent or bare[0] in ")]}#"):
            break
        location = above
    return start
