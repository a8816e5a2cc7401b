"""Files of which a diff shows only some lines.

The known lines stand at their numbers and the gaps are blank, so every place is right. What a block of known
lines is inside of (a function, a class, an open bracket) is not known; for Python, lines that open such
blocks are put into the gap above it, and a block that does not parse even so is commented out, so that one
block does not spoil the others. Of what is said, only that counts which known lines alone can prove: see
``Fragment.proves``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wardround.findings import Finding, Status
from wardround.languages.python.tree import parse
from wardround.tools.tool import ToolScope

_PYTHON = (".py", ".pyi", ".pyw")
_FAR = 200_000
"""Lines of a file above which its gaps are not filled: the text would be mostly gap."""

_NEEDS_THE_REST = re.compile(
    "syntax|parse|undefin|unbound|unresolved|unused|redefin|unreachable|dead-code|import|missing-return"
    "|outside-function|without-from|schema|unknown-key|stale"
)
"""Defect classes that say something is not there, or stands in the wrong place: a gap may hold it."""


@dataclass(frozen=True, slots=True)
class CaseFragment:
    """A file of which some lines are known.

    Attributes:
        text: the known lines at their numbers.
        known: the numbers of lines that are as the change has them.
        unparsed: the numbers of lines that were commented out because they parse in no surroundings.
    """

    text: str
    known: frozenset[int]
    unparsed: frozenset[int]

    @classmethod
    def of(cls, path: str, lines: Mapping[int, str]) -> CaseFragment:
        """The file that has these lines, by number."""
        last = max(lines, default=0)
        if last > _FAR:
            return cls("", frozenset(), frozenset(lines))
        out = dict(lines)
        unparsed: set[int] = set()
        if path.endswith(_PYTHON):
            for first, end, room in _blocks(lines):
                around = _parseable([lines[n] for n in range(first, end)], room)
                if around is None:
                    unparsed |= set(range(first, end))
                    out |= {n: f"# {lines[n]}" for n in range(first, end)}
                    continue
                above, below = around
                out |= {first - len(above) + n: line for n, line in enumerate(above)}
                out |= {end + n: line for n, line in enumerate(below)}
        text = "\n".join(out.get(n, "") for n in range(1, max(out, default=0) + 1))
        return cls(text + "\n", frozenset(lines) - unparsed, frozenset(unparsed))

    def proves(self, finding: Finding, scope: ToolScope | None, *, whole_change: bool) -> bool:
        """Whether the known lines alone show that a finding is right.

        Not what type checkers and checks of the whole change say, nor what was found on a line that is not in
        the change: each of them speaks about what the gaps hide. Nor a finding about something absent, unused
        or misplaced.
        """
        if whole_change or scope is ToolScope.PROJECT or finding.status is not Status.NEW:
            return False
        span = range(finding.span.line, finding.span.end_line + 1)
        if not all(line in self.known for line in (span.start, span.stop - 1)):
            return False
        return _NEEDS_THE_REST.search(finding.defect_class) is None


def _blocks(lines: Mapping[int, str]) -> Iterator[tuple[int, int, int]]:
    """(first line, line behind the last, blank lines above that are free) of each run of known lines."""
    numbers = sorted(lines)
    start = 0
    free_from = 1
    for index, number in enumerate(numbers):
        if index + 1 < len(numbers) and numbers[index + 1] == number + 1:
            continue
        first = numbers[start]
        yield first, number + 1, first - free_from
        free_from = number + 2  # the line behind a block may have to close it
        start = index + 1


def _parseable(block: Sequence[str], room: int) -> tuple[list[str], list[str]] | None:
    """Lines above and below with which a block of Python parses; None if there are none."""
    for above in _openers(block):
        if len(above) > room:
            continue
        for below in ([], [f"{' ' * (_last_indent(block) + 1)}pass"]):
            if _parses([*above, *block, *below]):
                return above, below
    return None


def _openers(block: Sequence[str]) -> Iterator[list[str]]:
    """Lines that open the blocks a piece of code may stand in, the plainest first."""
    code = [line for line in block if line.strip() and not line.lstrip().startswith("#")]
    yield []
    if not code:
        return
    indents = [len(line) - len(line.lstrip()) for line in code]
    levels = sorted({0, *_left(indents)} - {indents[0]}) if indents[0] else []
    for kind in ("def _(self):", "async def _(self):", "for _ in _:"):
        above = []
        for level in levels:
            resumed = _resumed(code, indents, level)
            opener = kind if level == levels[-1] else "class _:" if level == 0 else "def _(self):"
            above.append(" " * level + (resumed or opener))
        yield above
        first = code[0].split()[0].rstrip(":")
        if first in ("else", "elif", "except", "finally"):
            stem = " " * indents[0]
            head = "try:" if first in ("except", "finally") else "if _:"
            yield [*above, stem + head, f"{stem} pass"]


def _left(indents: Sequence[int]) -> Iterator[int]:
    """The levels that a block falls back to below its first line's."""
    lowest = indents[0]
    for indent in indents:
        if indent < lowest:
            lowest = indent
            yield indent


def _resumed(code: Sequence[str], indents: Sequence[int], level: int) -> str | None:
    """What must have opened a level for the first line that falls back to it to go on there."""
    back = next((line for line, indent in zip(code, indents, strict=True) if indent <= level), "")
    if len(back) - len(back.lstrip()) != level:
        return None
    first = re.match(r"\s*(\w*)", back)
    word = first[1] if first else ""
    return {"else": "if _:", "elif": "if _:", "except": "try:", "finally": "try:"}.get(word)


def _last_indent(block: Sequence[str]) -> int:
    code = [line for line in block if line.strip()]
    return len(code[-1]) - len(code[-1].lstrip()) if code else 0


def _parses(lines: Sequence[str]) -> bool:
    try:
        parse("\n".join(lines) + "\n")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
