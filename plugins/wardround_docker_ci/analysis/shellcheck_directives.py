"""The parts of shell scripts for which a directive disables checks of shellcheck."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache

from wardround.languages.shell import Command
from wardround.lazy import LazyPattern
from wardround.tools.parsing import map_of

_DIRECTIVE = LazyPattern(
    r"^[ \t]*#[ \t]*shellcheck[ \t](?:[^\n#]{0,200}?[ \t])?disable=([\w,-]{1,500})", re.MULTILINE
)
_IN_FRONT = LazyPattern(r"(?:[ \t\r]*(?:#[^\n]*)?\n)*+")
"""Blank lines and comments."""
_COMPOUND = LazyPattern(r"(?:if|while|until|for|case|select|function)\b|[{(]|[\w.:-]{1,100}[ \t]*\([ \t]*\)")
_CLOSES = LazyPattern(r"(?:fi|done|esac)\b|[})]")
_GOES_ON = LazyPattern(r"(?:then|else|elif|do|in)\b|;;|[^\s()]{1,100}\)")
_JOINS = frozenset({"&&", "||", "|", "|&"})
_MOST_LINES = 2_000
"""The lines of a compound command that are searched for its end."""
_RANGE = LazyPattern(r"(?:SC)?(\d{4})-(?:SC)?(\d{4})")
_RELATED = {"SC2031": "variable-lost-in-pipe", "SC2310": "lost-status", "SC2311": "lost-status",
            "SC2312": "lost-status"}  # fmt: skip
"""Codes that find the defect of a check here, and are notes of the tool."""
Region = tuple[int, int, frozenset[str]]
"""Start, end, and the defect classes that are ignored between them."""


def disabled_regions(text: str, start: int, end: int, commands: Sequence[Command]) -> Iterator[Region]:
    """Yield the regions of a script in which directives disable checks.

    A directive at the top applies to the script, any other to the command that follows: a list of commands
    that are joined, or a compound command to its end.

    Args:
        text: the content of the file; the script is between ``start`` and ``end``.
        commands: the commands of the script.
    """
    top = _skip_comments(text, start, end)
    spans = sorted(filter(None, map(_span, commands)))
    for found in _DIRECTIVE.finditer(text, start, end):
        if found.start() < top:
            yield start, end, _defects(found[1])
        else:
            first = _skip_comments(text, min(_line_end(text, found.end(), end) + 1, end), end)
            yield first, _end_of_command(text, first, end, spans), _defects(found[1])


def _skip_comments(text: str, start: int, end: int) -> int:
    found = _IN_FRONT.match(text, start, end)
    return start if found is None else found.end()


def _end_of_command(text: str, start: int, end: int, spans: Sequence[tuple[int, int, bool]]) -> int:
    line_end = _line_end(text, start, end)
    first = text[start:line_end]
    if _COMPOUND.match(first.lstrip()):
        return _end_of_compound(text, line_end, end, _indent_width(first))
    at = bisect_left(spans, (start,))
    if at == len(spans) or spans[at][0] >= line_end:
        return line_end
    while spans[at][2] and at + 1 < len(spans):
        at += 1
    return spans[at][1]


def _end_of_compound(text: str, line_end: int, end: int, indent: int) -> int:
    """Return the end of the line that closes a compound command, by its indentation."""
    at = line_end + 1
    for _ in range(_MOST_LINES):
        if at >= end:
            break
        stop = _line_end(text, at, end)
        line = text[at:stop]
        if line.strip() and _indent_width(line) <= indent:
            if _CLOSES.match(line.lstrip()):
                return stop if _indent_width(line) == indent else line_end
            if not _GOES_ON.match(line.lstrip()) and line.strip() != "{":
                return line_end
        at = stop + 1
    return line_end


def _span(command: Command) -> tuple[int, int, bool] | None:
    """Return the start and end of a command, and True if it is joined with the next one."""
    words = sorted((*command.assignments, *command.words), key=lambda word: word.start)
    return (words[0].start, words[-1].end, command.after in _JOINS) if words else None


def _line_end(text: str, at: int, end: int) -> int:
    found = text.find("\n", at, end)
    return end if found < 0 else found


def _indent_width(line: str) -> int:
    return len(line) - len(line.lstrip())


@lru_cache(maxsize=256)
def _defects(listed: str) -> frozenset[str]:
    """Return the defect classes of the listed codes, ranges of codes and ``all``."""
    known = {code: entry.defect_class for code, entry in map_of("shellcheck").codes.items()} | _RELATED
    return frozenset(
        defect
        for code, defect in known.items()
        if defect and any(_lists_code(item, code) for item in listed.split(","))
    )


def _lists_code(listed: str, code: str) -> bool:
    span = _RANGE.fullmatch(listed)
    if span is not None:
        return int(span[1]) <= int(code.removeprefix("SC")) <= int(span[2])
    return listed in ("all", code, code.removeprefix("SC"))
