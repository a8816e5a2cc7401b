"""The functions, classes and tables of a source file, detected by its lines and their indentation.

No parser: a file of any language, or one that does not parse, is split as well, and a file of unusual form
has
no functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wardround.checks.lazy import LazyPattern


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
        whole = f"{around[-1].name}.{name}" if around else name
        one = Definition(whole, at + 1, end, lines[at].strip()[:_SIGNATURE_CHARACTERS])
        found.append(one)
        around.append(one)
    return found


def _starts(pattern: LazyPattern, lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    for at, line in enumerate(lines):
        match = pattern.match(line) if len(line) <= 1000 else None
        if match is not None:
            yield at, next(group for group in match.groups() if group).strip('"')


def _ends(pattern: LazyPattern, lines: Sequence[str], starts: Sequence[int]) -> list[int]:
    """Return the last line of each definition, before the first line that is not indented deeper."""
    ends = {start: len(lines) for start in starts}
    waiting: list[tuple[int, int]] = []
    opening = set(starts)
    last = 0  # the last line that is not blank
    for at, line in enumerate(lines):
        if not line.strip():
            continue
        depth = len(line) - len(line.lstrip())
        closing = bool(_CLOSING.match(line))
        while waiting and waiting[-1][1] >= depth:
            if closing and waiting[-1][1] == depth:
                if pattern is not _PYTHON and line.strip()[0] == "}" and not line.rstrip().endswith("{"):
                    ends[waiting.pop()[0]] = at + 1
                break  # the bracket of a signature over several lines
            ends[waiting.pop()[0]] = last + 1
        if at in opening:
            waiting.append((at, depth))
        last = at
    for start, _ in waiting:
        ends[start] = last + 1
    return [ends[start] for start in starts]


def enclosing(found: Sequence[Definition], line: int) -> Definition | None:
    """Return the innermost definition around a line."""
    holding = [one for one in found if one.line <= line <= one.end_line]
    return max(holding, key=lambda one: one.line, default=None)
