"""Comments by which a sample file says what is to be found in its lines, and those a change took away."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from wardround.checks import ChangedText

_SIGN = r"(?:#|//|--|/\*|<!--|\{#|;)\s*"
_MARK = re.compile(
    rf"^(?P<code>.*?)(?P<mark>{_SIGN}(?:(?:(?P<rule>ruleid|expect(?:ed)?(?:-error|-warning)?|"
    r"error|warning|violation|finding|FAIL|BAD|NOT ?OK)\s*:)|(?P<kind>[EWN]):\s|\^+\s*(?:error|warning)\b|"
    r"~?(?:ERROR|WARN)\b).*)$"
)
_INSTEAD = re.compile(rf"{_SIGN}(?:todo-?ruleid|ok|todook|good)\b")
_FEWEST = 3
"""So many signs of code are needed to know a line again."""


@dataclass(frozen=True, slots=True)
class LostMark:
    """An expectation that is gone although what it was about is still there.

    Attributes:
        line: where that stands at the head, 1-based.
        mark: the comment as it was.
        is_turned: whether the line is now expected to be fine.
    """

    line: int
    mark: str
    is_turned: bool


def lost_marks(file: ChangedText) -> Iterator[LostMark]:
    """The expectations that the change took away from code that stays, in the order of places."""
    before, after = file.base_text or "", file.text or ""
    if _MARK.pattern and not any(_MARK.match(line) for line in before.split("\n")):
        return
    was, now = list(_marked(before)), list(_marked(after))
    has = {(kind, code) for _, kind, code, _ in now}
    lines = after.split("\n")
    count_before = Counter(line.strip() for line in before.split("\n"))
    places = {_code(line): number for number, line in enumerate(lines, 1) if _code(line)}
    counts = Counter(_code(line) for line in lines)
    for _, kind, code, mark in was:
        if (kind, code) in has or len(re.findall(r"\w", code)) < _FEWEST or counts[code] != 1:
            continue
        if count_before[mark] and mark in (line.strip() for line in lines[: places[code]]):
            continue
        number = places[code]
        above = lines[number - 2] if number > 1 else ""
        yield LostMark(number, " ".join(mark.split()), bool(_INSTEAD.search(above + lines[number - 1])))


def _code(line: str) -> str:
    """A line without the expectation in it; empty if there is nothing else in it."""
    match = _MARK.match(line) or re.match(rf"(?P<code>.*?){_INSTEAD.pattern}", line)
    return (match["code"] if match else line).strip()


def _marked(text: str) -> Iterator[tuple[int, str, str, str]]:
    """Line, kind, code and comment of each expectation; one on its own line is about the next code."""
    lines = text.split("\n")
    waiting: list[tuple[int, str, str]] = []
    for number, line in enumerate(lines, 1):
        match = _MARK.match(line)
        code = _code(line)
        if match is not None:
            kind = match["rule"] or match["kind"] or "error"
            waiting.append((number, kind, match["mark"].strip()))
        if code:
            yield from ((place, kind, code, mark) for place, kind, mark in waiting)
            waiting = []
