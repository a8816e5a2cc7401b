"""Names of tests that contradict the changed tests."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from itertools import takewhile

from wardround.lazy import LazyPattern
from wardround.text.tokens import parts

_PYTHON = LazyPattern(r"^([ \t]*)(?:async[ \t]+)?def[ \t]+(test\w*)[ \t]*\(")
_SCRIPT = LazyPattern(r"^([ \t]*)(?:it|test|specify)(?:\.\w+)*\([ \t]*([\"'`])((?:\\.|(?!\2).)+)\2")


@dataclass(frozen=True, slots=True)
class Titled:
    """One test: its name, and its body.

    Attributes:
        words: the name, as words in lower case.
        line, column: the position of the name, 1-based.
    """

    title: str
    words: str
    line: int
    column: int
    body: str


@dataclass(frozen=True, slots=True)
class StaleTitle:
    """A test whose name states what it no longer tests; ``said`` is the word, ``why`` the change."""

    test: Titled
    said: str
    why: str


def titled_tests(text: str) -> list[Titled]:
    """Return the tests of a file, by their names and indentation."""
    lines = text.split("\n")
    found = []
    for number, line in enumerate(lines):
        match = _PYTHON.match(line) or _SCRIPT.match(line)
        if match is None:
            continue
        title = match.group(match.re.groups)
        below = map(lines.__getitem__, range(number + 1, len(lines)))
        body = takewhile(partial(_is_inside, len(match[1])), below)
        words = (
            " ".join(parts(title)) if title.isidentifier() else re.sub(r"[^\w]+", " ", title.lower()).strip()
        )
        found.append(Titled(title, words, number + 1, line.find(title) + 1, "\n".join(body)))
    return found


def _is_inside(depth: int, line: str) -> bool:
    """Return True if a line belongs to the block of a test whose name is indented by some characters."""
    code = line.lstrip()
    return not code or len(line) - len(code) > depth or code[0] in ")]}"
