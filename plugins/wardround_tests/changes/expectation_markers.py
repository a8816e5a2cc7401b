"""Expectation comments in sample files, and those that a change removed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from wardround.checks.source import ChangedFileView
from wardround.storage.regex_cache import bounded_pattern
from wardround_tests.file_kinds import is_test

_SIGN = r"(?:#|//|--|/\*|<!--|\{#|;)\s*"
_MARK = (
    rf"(?P<code>.*?)(?P<mark>{_SIGN}(?:(?:(?P<rule>ruleid|expect(?:ed)?(?:-error|-warning)?|"
    r"error|warning|violation|finding|FAIL|BAD|NOT ?OK)\s*:)|(?P<kind>[EWN]):\s|\^+\s*(?:error|warning)\b|"
    r"~?(?:ERROR|WARN)\b).*)$"
)
"""Code and the expectation after it; a string, compiled only where samples changed."""
_INSTEAD = rf"{_SIGN}(?:todo-?ruleid|ok|todook|good)\b"
_CERTAIN = frozenset({"ruleid", "E", "W"})
"""Kinds that are not prose; in test files, other kinds are remarks."""
_FEWEST = 3
"""Minimum number of word characters that identify a line."""


class LostMark(msgspec.Struct, frozen=True):
    """A removed expectation whose code still exists.

    Attributes:
        line: line number of the code at the head, 1-based.
        mark: the removed comment.
        is_turned: True if the line is now expected to be fine.
    """

    line: int
    mark: str
    is_turned: bool


def lost_marks(file: ChangedFileView) -> Iterator[LostMark]:
    """Yield the expectations that the change removed from unchanged code, in order of position."""
    base_marks = list(_marked_expectations(file.base_text or ""))
    if not base_marks:
        return
    text = file.text or ""
    remaining = {(kind, code) for kind, code, _mark in _marked_expectations(text)}
    lines = text.split("\n")
    positions = _unique_positions(lines)
    is_certain_only = is_test(file.path)
    for kind, code, mark in base_marks:
        number = positions.get(code)
        if number is None or (kind, code) in remaining:
            continue
        if kind in _CERTAIN or not is_certain_only:
            around = "\n".join(lines[max(number - 2, 0) : number])
            yield LostMark(number, " ".join(mark.split()), re.search(_INSTEAD, around) is not None)


def _unique_positions(lines: Sequence[str]) -> dict[str, int]:
    """Return the line (1-based) of each code that occurs once and is long enough to be identified."""
    codes = list(map(_code, lines))
    counts = Counter(codes)
    return {
        code: number
        for number, code in enumerate(codes, 1)
        if counts[code] == 1 and len(re.findall(r"\w", code)) >= _FEWEST
    }


def _code(line: str) -> str:
    """Return a line without its expectation; empty if it has no other content."""
    match = bounded_pattern(_MARK).match(line) or bounded_pattern(rf"(?P<code>.*?){_INSTEAD}").match(line)
    return (match["code"] if match else line).strip()


def _marked_expectations(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield kind, code and comment of each expectation; one on its own line applies to the next code."""
    if re.search(rf"(?m)^{_MARK}", text) is None:
        return
    pending: list[tuple[str, str]] = []
    for line in text.split("\n"):
        match = bounded_pattern(_MARK).match(line)
        if match is not None:
            pending.append((match["rule"] or match["kind"] or "error", match["mark"].strip()))
        code = _code(line)
        if code:
            yield from ((kind, code, mark) for kind, mark in pending)
            pending = []
