"""Comments by which a sample file says what is to be found in its lines, and those a change took away."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import msgspec

from wardround.checks.source import ChangedFileView
from wardround.storage.regex_cache import bounded
from wardround_tests.file_kinds import is_test

_SIGN = r"(?:#|//|--|/\*|<!--|\{#|;)\s*"
_MARK = (
    rf"(?P<code>.*?)(?P<mark>{_SIGN}(?:(?:(?P<rule>ruleid|expect(?:ed)?(?:-error|-warning)?|"
    r"error|warning|violation|finding|FAIL|BAD|NOT ?OK)\s*:)|(?P<kind>[EWN]):\s|\^+\s*(?:error|warning)\b|"
    r"~?(?:ERROR|WARN)\b).*)$"
)
"""Code and the expectation after it, as a text: compiled only where samples changed."""
_INSTEAD = rf"{_SIGN}(?:todo-?ruleid|ok|todook|good)\b"
_CERTAIN = frozenset({"ruleid", "E", "W"})
"""The kinds that are no prose: in files that are run as tests, others are remarks."""
_FEWEST = 3
"""So many signs of code are needed to know a line again."""


class LostMark(msgspec.Struct, frozen=True):
    """An expectation that is gone although what it was about is still there.

    Attributes:
        line: where that stands at the head, 1-based.
        mark: the comment as it was.
        is_turned: True if the line is now expected to be fine.
    """

    line: int
    mark: str
    is_turned: bool


def lost_marks(file: ChangedFileView) -> Iterator[LostMark]:
    """The expectations that the change took away from code that stays, in the order of places."""
    was = list(_marked(file.base_text or ""))
    if not was:
        return
    has = {(kind, code) for kind, code, _ in _marked(file.text or "")}
    lines = (file.text or "").split("\n")
    places = {code: number for number, line in enumerate(lines, 1) if (code := _code(line))}
    counts = Counter(map(_code, lines))
    for kind, code, mark in was:
        if (kind, code) in has or counts[code] != 1 or len(re.findall(r"\w", code)) < _FEWEST:
            continue
        if is_test(file.path) and kind not in _CERTAIN:
            continue
        number = places[code]
        around = "\n".join(lines[max(number - 2, 0) : number])
        yield LostMark(number, " ".join(mark.split()), re.search(_INSTEAD, around) is not None)


def _code(line: str) -> str:
    """A line without the expectation in it; empty if there is nothing else in it."""
    match = bounded(_MARK).match(line) or bounded(rf"(?P<code>.*?){_INSTEAD}").match(line)
    return (match["code"] if match else line).strip()


def _marked(text: str) -> Iterator[tuple[str, str, str]]:
    """Kind, code and comment of each expectation; one on its own line is about the next code."""
    if re.search(rf"(?m)^{_MARK}", text) is None:
        return
    waiting: list[tuple[str, str]] = []
    for line in text.split("\n"):
        match = bounded(_MARK).match(line)
        if match is not None:
            waiting.append((match["rule"] or match["kind"] or "error", match["mark"].strip()))
        code = _code(line)
        if code:
            yield from ((kind, code, mark) for kind, mark in waiting)
            waiting = []
