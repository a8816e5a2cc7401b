"""The statements of scripts that tests ran, from the blocks of code that V8 counted."""

from __future__ import annotations

import posixpath
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence

import msgspec

from wardround.context.line_coverage.model import Lines
from wardround.workflows.test.scripts.source_map import GeneratedCode
from wardround.workflows.test.scripts.units import NONE, Choice, Position, Units, script_units

Block = tuple[int, int, int]
"""Beginning and end of a block of code, and its execution count; nested blocks have their own counts."""
_BEFORE_ALL: Position = (-1, 0)


class FileLines(msgspec.Struct, frozen=True):
    """The lines of a script by the tests that ran.

    Attributes:
        lines: the first line of each statement -> True if it ran.
        partial: lines with a branch that the tests do not take in all directions, unless another line shows
            it.
        tests: line -> the test files that ran the statements that begin in it.
    """

    lines: Lines
    partial: frozenset[int] = frozenset()
    tests: Mapping[int, frozenset[str]] = {}


class ScriptCoverage:
    """Adds up the blocks of one script that several test files ran.

    Args:
        path: path of the script.
        text: its source.
    """

    def __init__(self, path: str, text: str) -> None:
        self._name = posixpath.basename(path)
        self._text = text
        self._units = script_units(path, text)
        self._codes: dict[str, _Points | None] = {}
        self._seen: dict[tuple[str, tuple[Block, ...]], frozenset[int]] = {}
        self._tests: dict[int, set[str]] = {}
        self._known: set[int] = set()
        self._ran: set[int] = set()
        self._choices: dict[int, set[int]] = {}
        self._is_traced = True

    def add(self, test: str, name: str, code: GeneratedCode, blocks: Sequence[Block]) -> None:
        """Add the blocks of a run.

        Args:
            test: the test file.
            name: name of the code; codes of one name are the same.
        """
        if self._units is None:
            return
        key = name, tuple(blocks)
        if key not in self._seen:
            self._seen[key] = self._read(self._units, name, code, blocks)
        for number in self._seen[key]:
            self._tests.setdefault(number, set()).add(test)

    def _read(self, units: Units, name: str, code: GeneratedCode, blocks: Sequence[Block]) -> frozenset[int]:
        """Return the statements that ran."""
        if name not in self._codes:
            self._codes[name] = _points(units, self._name, code, self._text)
        points = self._codes[name]
        if points is None:
            self._is_traced = False
            return frozenset()
        counts = _execution_counts(points.offsets, blocks)
        self._known.update(points.owners)
        ran = frozenset(owner for owner, count in zip(points.owners, counts, strict=True) if count) - {NONE}
        self._ran |= ran
        self._choose(points, counts)
        return ran

    def _choose(self, points: _Points, counts: Sequence[int]) -> None:
        assert self._units is not None
        for number, choice in enumerate(self._units.choices):
            reached = max(points.within(choice.condition, choice.unit, counts), default=0)
            ways = [points.within(way, NONE, counts) for way in choice.ways]
            if not reached or not all(ways):
                continue
            used = {at for at, found in enumerate(ways) if any(found)}
            if len(ways) == 1 and ways[0][0] < reached:
                used.add(1)
            self._choices.setdefault(number, set()).update(used)

    def result(self, *, is_loaded: bool) -> FileLines | None:
        """Return the lines; None if they are not known.

        Args:
            is_loaded: a test loaded the script; otherwise none of its statements ran.
        """
        units = self._units
        if units is None or not self._is_traced:
            return None
        lines = self._statement_lines(units, is_loaded=is_loaded)
        for number in sorted(units.functions):
            if number in self._known and number not in self._ran:
                lines[units.lines[number]] = False
        return FileLines(lines, frozenset(self._partial(units, lines)), self._tests_of_lines(units))

    def _statement_lines(self, units: Units, *, is_loaded: bool) -> Lines:
        """Return the first lines of statements, and whether they ran."""
        lines: Lines = {}
        for number, line in enumerate(units.lines):
            is_known = not is_loaded or number in self._known
            if line and is_known and number not in units.functions:
                lines[line] = lines.get(line, False) or number in self._ran
        return lines

    def _tests_of_lines(self, units: Units) -> dict[int, frozenset[str]]:
        """Return the tests by line; in a line with a function, those that ran the function."""
        found: dict[int, frozenset[str]] = {}
        for number in sorted(range(len(units.lines)), key=lambda function: function in units.functions):
            line, ran = units.lines[number], frozenset(self._tests.get(number, ()))
            found[line] = ran if number in units.functions else found.get(line, frozenset()) | ran
        return found

    def _partial(self, units: Units, lines: Lines) -> list[int]:
        return [
            choice.line
            for number, used in sorted(self._choices.items())
            if len(used) == 1 and _is_only_here(choice := units.choices[number], lines)
        ]


def _is_only_here(choice: Choice, lines: Lines) -> bool:
    """Return True if no line in the branches is reported as not executed."""
    return not any(
        lines.get(line) is False for start, end in choice.ways for line in range(start[0] + 1, end[0] + 2)
    )


class _Points:
    """Places of the generated code whose statement in the source is known, by offset."""

    def __init__(self, offsets: list[int], positions: list[Position], units: Units) -> None:
        self.offsets = offsets
        self._owners_of = _Owners(units)
        self.owners = [self._owners_of.at(position) for position in positions]
        order = sorted(range(len(positions)), key=lambda at: (positions[at], at))
        self._order = order
        self._sorted = [positions[at] for at in order]

    def within(self, span: tuple[Position, Position], unit: int, counts: Sequence[int]) -> list[int]:
        """Return the counts of the places in a part of the source.

        Args:
            unit: only places of this statement, unless it is ``NONE``.
        """
        first, last = bisect_left(self._sorted, span[0]), bisect_left(self._sorted, span[1])
        some = self._order[first:last]
        return [counts[at] for at in some if unit in (NONE, self.owners[at])]


class _Owners:
    def __init__(self, units: Units) -> None:
        found = sorted(enumerate(units.boundaries), key=lambda boundary: (boundary[1][0], boundary[0]))
        self._starts = [position for _, (position, _) in found]
        self._numbers = [number for _, (_, number) in found]

    def at(self, position: Position) -> int:
        at = bisect_right(self._starts, position) - 1
        return self._numbers[at] if at >= 0 else NONE


def _points(units: Units, name: str, code: GeneratedCode, text: str) -> _Points | None:
    """Return the places of a code; None if it cannot be traced to the source."""
    mapped = code.mapped_positions(name)
    if mapped is None and len(code) and code.is_text(text):
        mapped = [(code.offset(position), position) for position, _ in units.boundaries]
        mapped.sort()
    if not mapped:
        return None
    return _Points([at for at, _ in mapped], [position for _, position in mapped], units)


def _execution_counts(offsets: Sequence[int], blocks: Sequence[Block]) -> list[int]:
    """Return how often each offset ran, by the innermost block around it."""
    ordered = sorted(blocks, key=lambda block: (block[0], -block[1]))
    found: list[int] = []
    open_: list[Block] = []
    next_ = 0
    for offset in offsets:
        while next_ < len(ordered) and ordered[next_][0] <= offset:
            open_.append(ordered[next_])
            next_ += 1
        while open_ and open_[-1][1] <= offset:
            open_.pop()
        found.append(open_[-1][2] if open_ else 0)
    return found
