"""The functions, classes and tables of a source file, detected by its lines and their indentation.

No parser is used: a file of any language, or with syntax errors, is split as well, and a file of unusual form
has no functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wardround.lazy import LazyPattern


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition from its first line to its last, 1-based and inclusive.

    ``name`` includes the names of the enclosing definitions, joined by dots.
    """

    name: str
    line: int
    end_line: int
    signature: str


_PYTHON = LazyPattern(r"[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(?P<name>\w+)")
_NOT_CALLED = r"(?!(?:if|for|while|switch|catch|return|function|with|else|do|await|throw|new|case)\b)"
_BRACES = LazyPattern(
    r"[ \t]*(?:(?:export|default|declare|abstract|public|private|protected|internal|static|async|final"
    r"|override|readonly|pub(?:\([^)]*\))?|unsafe|virtual|inline|suspend|open)[ \t]+)*(?:"
    r"(?:function\*?|class|interface|enum|type|namespace|struct|trait|impl|func|fn|fun|def|module|object)"
    r"[ \t]+"
    r"(?:\([^)]*\)[ \t]*)?(?P<name>[\w$]+)"
    r"|(?:const|let|var)[ \t]+(?P<bound>[\w$]+)[^=;]*=[ \t]*(?:async[ \t]*)?"
    r"(?:function\b|\([^;]*$|[\w$]+[ \t]*=>|\w[\w.]*(?:<[^;]*)?\([^;]*$|<)"
    rf"|{_NOT_CALLED}(?:get[ \t]+|set[ \t]+)?(?P<method>[\w$#]+)[ \t]*(?:<[^;()]*>)?\([^;]*\{{[ \t]*$"
    r")"
)
_SQL = LazyPattern(
    r"[ \t]*create[ \t]+(?:or[ \t]+replace[ \t]+)?(?:\w+[ \t]+){0,2}?"
    r"(?:function|procedure|table|view|trigger|index|type|policy)[ \t]+(?:if[ \t]+not[ \t]+exists[ \t]+)?"
    r"(?P<name>[\w.\"]+)",
    re.IGNORECASE,
)
_CLOSING = re.compile(r"[ \t]*[)\]}]")
_SIGNATURE_CHARACTERS = 160


def functions(path: str, text: str) -> list[Definition]:
    """Return the definitions of a file by their first lines, inner ones after the enclosing ones."""
    pattern = _SQL if path.endswith(".sql") else _PYTHON if path.endswith((".py", ".pyi")) else _BRACES
    lines = text.split("\n")
    starts = list(_starts(pattern, lines))
    found: list[Definition] = []
    around: list[Definition] = []
    for (at, name), end in zip(starts, _ends(pattern, lines, [at for at, _ in starts]), strict=True):
        while around and around[-1].end_line <= at:
            around.pop()
        complete = f"{around[-1].name}.{name}" if around else name
        item = Definition(complete, at + 1, end, lines[at].strip()[:_SIGNATURE_CHARACTERS])
        found.append(item)
        around.append(item)
    return found


def _starts(pattern: LazyPattern, lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    for at, line in enumerate(lines):
        match = pattern.match(line) if len(line) <= 1000 else None
        if match is not None:
            yield at, next(group for group in match.groups() if group).strip('"')


def _ends(pattern: LazyPattern, lines: Sequence[str], starts: Sequence[int]) -> list[int]:
    """Return the last line of each definition, before the first line that is not indented deeper."""
    open_ = _OpenDefinitions(len(lines), starts, has_braces=pattern is not _PYTHON)
    opening = set(starts)
    for at, line in enumerate(lines):
        if not line.strip():
            continue
        depth = len(line) - len(line.lstrip())
        open_.close_before(at, line, depth)
        if at in opening:
            open_.open(at, depth)
    return open_.ends()


class _OpenDefinitions:
    """The definitions whose end is not reached, the innermost last."""

    def __init__(self, count: int, starts: Sequence[int], *, has_braces: bool) -> None:
        self._ends = dict.fromkeys(starts, count)
        self._has_braces = has_braces
        self._waiting: list[tuple[int, int]] = []
        self._after_last = 1
        """The line after the last one that is not blank."""

    def open(self, at: int, depth: int) -> None:
        self._waiting.append((at, depth))

    def close_before(self, at: int, line: str, depth: int) -> None:
        """Close the definitions that end before a line, or with it."""
        is_closing = bool(_CLOSING.match(line))
        while self._waiting and self._waiting[-1][1] >= depth:
            if is_closing and self._waiting[-1][1] == depth:
                if self._has_braces and _is_last_brace(line):
                    self._close(at + 1)
                break  # the bracket of a signature over several lines
            self._close(self._after_last)
        self._after_last = at + 1

    def ends(self) -> list[int]:
        """Close what is open, and return the ends in the order of the starts."""
        while self._waiting:
            self._close(self._after_last)
        return list(self._ends.values())

    def _close(self, end: int) -> None:
        self._ends[self._waiting.pop()[0]] = end


def _is_last_brace(line: str) -> bool:
    """Return True for a closing brace after which no further block opens."""
    return line.strip()[0] == "}" and not line.rstrip().endswith("{")


def enclosing(found: Sequence[Definition], line: int) -> Definition | None:
    """Return the innermost definition around a line."""
    holding = [definition for definition in found if definition.line <= line <= definition.end_line]
    return max(holding, key=lambda definition: definition.line, default=None)
