"""One look at a text for all checks: where secrets could begin, found at the speed of ``bytes.find``.

Nearly all text holds no secret, so nothing slow happens before an anchor stands: a run of twenty characters
that tokens are made of, or a word such as ``password``. Both are searched for in a copy of one byte for each
code point, so that offsets are columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import ClassVar

import msgspec

from wardround.checks.base import Check
from wardround.checks.source import SourceFile
from wardround.findings import Plane, RawFinding, Severity, Span
from wardround.inference.api import Models, NoModels
from wardround.text.line_index import LineIndex
from wardround_secrets.detection import positions
from wardround_secrets.detection.assignments import Assignment, assignments_in

_MOST = 100
"""Secrets of one file that are reported; a dump of keys needs no more to be stopped."""
_RUN, _REST = ord("a"), ord(" ")
_IN_TOKENS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
_SHORTEST_RUN = b"a" * 20
_SHAPE = bytes(_RUN if char in _IN_TOKENS else _REST for char in range(256))


def _unescaped(notebook: str) -> str:
    """A notebook with its escaped quotes as the code has them, and everything else where it was."""
    lines = notebook.split("\n") if '\\"' in notebook else [notebook]
    return "\n".join(_with_plain_quotes(line) for line in lines)


def _with_plain_quotes(line: str) -> str:
    """The blank takes the place of the backslash outside the quotes, so that what is quoted stays whole."""
    first, *others = line.split('\\"')
    return first + "".join((' "' if number % 2 == 0 else '" ') + piece for number, piece in enumerate(others))


_BESIDE_THE_SOURCE = ('"outputs":', '"metadata":', '"attachments":')


class SecretMatch(msgspec.Struct, frozen=True):
    """A secret in a text: where it stands, what to say of it, and how bad it is here."""

    start: int
    end: int
    message: str
    severity: Severity | None = None


class ScannedText:
    """The text of one file, and the places in it that are worth a look.

    Attributes:
        text: as it stands; in a notebook, with a blank in place of what escapes a quote.
        models: what may be asked about literals that are in doubt.
        is_added: whether the change brought a line (1-based).
    """

    def __init__(
        self,
        path: str,
        text: str,
        models: Models | None = None,
        is_added: Callable[[int], bool] = lambda line: True,
    ) -> None:
        self.path = path
        self.is_notebook = path.endswith(".ipynb")
        self.text = _unescaped(text) if self.is_notebook else text
        self.models = models or NoModels()
        self.is_added = is_added

    @cached_property
    def _bytes(self) -> bytes:
        return self.text.encode("ascii", "replace")

    @cached_property
    def lower(self) -> bytes:
        """The text in small letters, a byte for each code point; what is not ASCII is a question mark."""
        return self._bytes.lower()

    @cached_property
    def is_generated(self) -> bool:
        return positions.is_generated(self.path)

    @cached_property
    def is_for_show(self) -> bool:
        return positions.is_for_show(self.path)

    @cached_property
    def runs(self) -> Sequence[tuple[int, int]]:
        """Start and end of every long run of letters, digits, ``_`` and ``-``."""
        find = (self._bytes.translate(_SHAPE) + b" ").find
        found = []
        start = find(_SHORTEST_RUN)
        while start >= 0:
            end = find(b" ", start + len(_SHORTEST_RUN))
            found.append((start, end))
            start = find(_SHORTEST_RUN, end)
        return found

    @cached_property
    def assignments(self) -> Sequence[Assignment]:
        """Where a name that speaks of a secret is given a literal."""
        return list(assignments_in(self))

    @cached_property
    def _tests_from(self) -> int:
        """Where the tests in a file of code begin."""
        place = self.text.find("#[cfg(test)]") if self.path.endswith(".rs") else -1
        return place if place >= 0 else len(self.text)

    def is_tried(self, place: int) -> bool:
        """Whether what stands at a place is there to be tried or read: in a test, an example, a manual."""
        return self.is_for_show or place > self._tests_from

    def is_printed(self, place: int) -> bool:
        """Whether what stands at a place of a notebook is what its code printed, or is about a cell."""
        if not self.is_notebook:
            return False
        source = self.text.rfind('"source":', 0, place)
        return source < max(self.text.rfind(word, 0, place) for word in _BESIDE_THE_SOURCE)

    def places_of(self, word: bytes) -> Iterator[int]:
        """Where a word begins, in any case; the word in small letters."""
        lower = self.lower
        place = lower.find(word)
        while place >= 0:
            yield place
            place = lower.find(word, place + len(word))

    @cached_property
    def _lines(self) -> LineIndex:
        return LineIndex(self.text)

    def place_of(self, offset: int) -> tuple[int, int]:
        """The 1-based line and column of an offset."""
        return self._lines.position(offset)

    def line_of(self, place: int) -> str:
        """The line around a place."""
        end = self.text.find("\n", place)
        return self.text[self.text.rfind("\n", 0, place) + 1 : end if end >= 0 else len(self.text)]


class SecretCheck(Check):
    """What every check for secrets shares: its place in the catalogue, and the scan that serves them all."""

    PLANE: ClassVar[Plane] = Plane.SECURITY
    SEVERITY: ClassVar[Severity] = Severity.ERROR
    DEFECT_CLASS: ClassVar[str | None] = "hardcoded-secret"
    MASKED: ClassVar[bool] = True
    IN_TESTS: ClassVar[bool] = False
    """Whether it speaks of what is there to be tried or read, in tests, examples and manuals."""
    IN_GENERATED: ClassVar[bool] = False
    """Whether it speaks of files that are written by programs or hold data."""

    @classmethod
    def find(cls, text: ScannedText) -> Iterable[SecretMatch]:
        """The secrets of this kind in a text, whichever lines the change brought."""
        raise NotImplementedError

    def run(self) -> None:
        self.results += scanned([type(self)], [type(self)], self.source)


def scanned(
    order: Sequence[type[SecretCheck]], wanted: Sequence[type[Check]], source: SourceFile
) -> list[RawFinding]:
    """What the wanted checks say about a file; of two that see the same secret, the one first in order."""
    text = ScannedText(source.path, source.text, source.models, source.is_added)
    taken: list[tuple[int, int]] = []
    found: list[RawFinding] = []
    for check in order:
        if (text.is_for_show and not check.IN_TESTS) or (text.is_generated and not check.IN_GENERATED):
            continue
        for hit in check.find(text):
            if len(taken) >= _MOST:
                break
            hidden = (not check.IN_TESTS and text.is_tried(hit.start)) or (
                not check.IN_GENERATED and text.is_printed(hit.start)
            )
            span = None if hidden else _added_span(source, text, hit)
            if span is None or any(hit.start < end and start < hit.end for start, end in taken):
                continue
            taken.append((hit.start, hit.end))
            if check in wanted:
                found.append(RawFinding(check.ID, source.path, span, hit.message, severity=hit.severity))
    return sorted(found, key=lambda result: result.span)


def _added_span(source: SourceFile, text: ScannedText, hit: SecretMatch) -> Span | None:
    """The place of a hit, from the first line of it that the change brought; None if it brought none."""
    (line, column), (last, end_column) = text.place_of(hit.start), text.place_of(hit.end)
    first = next((number for number in range(line, last + 1) if source.is_added(number)), None)
    if first is None:
        return None
    return Span(first, column if first == line else 1, last, end_column)
