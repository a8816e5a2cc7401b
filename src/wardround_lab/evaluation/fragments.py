"""Files that a diff shows only in part.

The known lines are at their numbers and the gaps are blank, so every position is correct. The enclosing
blocks of known lines (a function, a class, an open bracket) are unknown; for Python, lines that open such
blocks are inserted into the gap above, and a block that still cannot be parsed is commented out, so that it
does not invalidate the others. Only findings that the known lines alone prove count: see ``Fragment.proves``.
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
"""Number of lines of a file above which its gaps are not filled, since the text would be mostly gaps."""

_NEEDS_THE_REST = re.compile(
    "syntax|parse|undefin|unbound|unresolved|unused|redefin|unreachable|dead-code|import|missing-return"
    "|outside-function|without-from|schema|unknown-key|stale"
)
"""Defect classes about something absent or misplaced: a gap may contain it."""


@dataclass(frozen=True, slots=True)
class CaseFragment:
    """A file with some known lines.

    Attributes:
        text: the known lines at their numbers.
        known: the numbers of lines that are unchanged from the change.
        unparsed: the numbers of lines that were commented out because they cannot be parsed in any context.
    """

    text: str
    known: frozenset[int]
    unparsed: frozenset[int]

    @classmethod
    def of(cls, path: str, lines: Mapping[int, str]) -> CaseFragment:
        """Build the file that has these lines, by number."""
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
        """Return True if the known lines alone prove a finding.

        Excluded are findings of type checkers and of change-level checks, and findings on lines that are not
        in the change: they depend on the content of the gaps. So do findings about something absent, unused
        or misplaced.
        """
        if whole_change or scope is ToolScope.PROJECT or finding.status is not Status.NEW:
            return False
        span = range(finding.span.line, finding.span.end_line + 1)
        if not all(line in self.known for line in (span.start, span.stop - 1)):
            return False
        return _NEEDS_THE_REST.search(finding.defect_class) is None


def _blocks(lines: Mapping[int, str]) -> Iterator[tuple[int, int, int]]:
    """Yield (first line, line after the last, blank lines above) of each run of known lines."""
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
    """Return lines above and below with which a block of Python can be parsed; None if there are none."""
    for above in _openers(block):
        if len(above) > room:
            continue
        for below in ([], [f"{' ' * (_last_indent(block) + 1)}pass"]):
            if _is_parsable([*above, *block, *below]):
                return above, below
    return None


def _openers(block: Sequence[str]) -> Iterator[list[str]]:
    """Yield lines that open possible enclosing blocks of a piece of code, the simplest first."""
    code = [line for line in block if line.strip() and not line.lstrip().startswith("#")]
    yield []
    if not code:
        return
    indents = [len(line) - len(line.lstrip()) for line in code]
    levels = sorted({0, *_dedented_levels(indents)} - {indents[0]}) if indents[0] else []
    for kind in ("def _(self):", "async def _(self):", "for _ in _:"):
        above = []
        for level in levels:
            resumed = _opening_statement(code, indents, level)
            opener = kind if level == levels[-1] else "class _:" if level == 0 else "def _(self):"
            above.append(" " * level + (resumed or opener))
        yield above
        first = code[0].split()[0].rstrip(":")
        if first in ("else", "elif", "except", "finally"):
            stem = " " * indents[0]
            head = "try:" if first in ("except", "finally") else "if _:"
            yield [*above, stem + head, f"{stem} pass"]


def _dedented_levels(indents: Sequence[int]) -> Iterator[int]:
    """Return the indentation levels below the first line's to which a block returns."""
    lowest = indents[0]
    for indent in indents:
        if indent < lowest:
            lowest = indent
            yield indent


def _opening_statement(code: Sequence[str], indents: Sequence[int], level: int) -> str | None:
    """Return the statement that must have opened a level for the first line that returns to it."""
    back = next((line for line, indent in zip(code, indents, strict=True) if indent <= level), "")
    if len(back) - len(back.lstrip()) != level:
        return None
    first = re.match(r"\s*(\w*)", back)
    word = first[1] if first else ""
    return {"else": "if _:", "elif": "if _:", "except": "try:", "finally": "try:"}.get(word)


def _last_indent(block: Sequence[str]) -> int:
    code = [line for line in block if line.strip()]
    return len(code[-1]) - len(code[-1].lstrip()) if code else 0


def _is_parsable(lines: Sequence[str]) -> bool:
    try:
        parse("\n".join(lines) + "\n")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
