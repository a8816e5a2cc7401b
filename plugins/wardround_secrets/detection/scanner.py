"""One scan of a text for all checks: candidate positions are found at the speed of ``bytes.find``.


Nearly all files contain no secret, so patterns run only at an anchor: a run of twenty characters that tokens
consist of, or a word such as ``password``. Both are searched for in a copy with one byte for each code point,
so that offsets are columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import cached_property, lru_cache
from typing import ClassVar

import msgspec

from wardround.checks.base import Check
from wardround.checks.source import SourceFile
from wardround.findings import Plane, RawFinding, Severity, Span
from wardround.inference.api import Models, NoModels
from wardround.text.keyword_index import KeywordMatcher, keyword_index
from wardround.text.line_index import LineIndex
from wardround_secrets.detection import own_services, positions, published_keys
from wardround_secrets.detection.anchors import offsets_of
from wardround_secrets.detection.assignments import Assignment, assignments_in

_MOST = 100
"""Maximum number of secrets reported in one file; a dump of keys needs no more."""
_LONG = 65_536
"""In a longer file, which often no other check indexes, the checks take less time than its index."""
_RUN, _REST = ord("a"), ord(" ")
_IN_TOKENS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
_SHORTEST_RUN = b"a" * 20
_SHAPE = bytes(_RUN if char in _IN_TOKENS else _REST for char in range(256))


def _unescape_notebook(notebook: str) -> str:
    """Return a notebook with unescaped quotes as in the code, and the same offsets."""
    lines = notebook.split("\n") if '\\"' in notebook else [notebook]
    return "\n".join(_simplify_quotes(line) for line in lines)


def _simplify_quotes(line: str) -> str:
    """Replace the backslash outside the quotes by a blank, so that quoted text stays intact."""
    first, *others = line.split('\\"')
    return first + "".join((' "' if number % 2 == 0 else '" ') + piece for number, piece in enumerate(others))


_OTHER_CELL_KEYS = ('"outputs":', '"metadata":', '"attachments":')


class SecretMatch(msgspec.Struct, frozen=True):
    """A secret in a text: its offsets, message and severity in this position."""

    start: int
    end: int
    message: str
    severity: Severity | None = None


class ScannedText:
    """The content of one file, and the candidate positions in it.

    Attributes:
        text: the content; in a notebook, with a blank instead of the escape of a quote.
        models: classify ambiguous literals.
        is_added: returns True if the change added a line (1-based).
        read: returns the text of another file, or None.
    """

    def __init__(
        self,
        path: str,
        text: str,
        models: Models | None = None,
        is_added: Callable[[int], bool] = lambda line: True,
        read: Callable[[str], str | None] = lambda path: None,
    ) -> None:
        self.path = path
        self.is_notebook = path.endswith(".ipynb")
        self.text = _unescape_notebook(text) if self.is_notebook else text
        self.models = models or NoModels()
        self.is_added = is_added
        self.read = read

    @cached_property
    def _bytes(self) -> bytes:
        return self.text.encode("ascii", "replace")

    @cached_property
    def lower(self) -> bytes:
        """The text in lower case, a byte for each code point; a non-ASCII character is a question mark."""
        return self._bytes.lower()

    @cached_property
    def is_generated(self) -> bool:
        return positions.is_generated(self.path)

    @cached_property
    def is_bundled(self) -> bool:
        return positions.is_bundled(self.path)

    @cached_property
    def is_example_file(self) -> bool:
        return positions.is_example_file(self.path)

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
        """Assignments of a literal to a name that denotes a secret."""
        return list(assignments_in(self.path, self.text, self.lower))

    @cached_property
    def throwaway_passwords(self) -> frozenset[str]:
        """Passwords that open only containers which this file starts for a CI job or for development."""
        return own_services.passwords_of(self.path, self.text, self.assignments)

    @cached_property
    def _requests_for_other_values(self) -> Sequence[tuple[int, int]]:
        return positions.requests_for_other_values(self.path, self.text)

    def is_to_be_replaced(self, offset: int) -> bool:
        """Return True if a comment above a setting requests another value."""
        return positions.is_to_be_replaced(self._requests_for_other_values, self.text, offset)

    @cached_property
    def _is_collection(self) -> bool:
        return self.path.endswith(".json") and b"schema.getpostman.com" in self.lower

    def is_example_request(self, offset: int) -> bool:
        """Return True if an offset is in the body of a request that a collection of requests contains."""
        return self._is_collection and self.line_of(offset).lstrip().startswith('"raw":')

    @cached_property
    def _tests_from(self) -> int:
        """Offset at which the tests in a source file begin."""
        offset = self.text.find("#[cfg(test)]") if self.path.endswith(".rs") else -1
        return offset if offset >= 0 else len(self.text)

    def is_example(self, offset: int) -> bool:
        """Return True if an offset is in a test, an example or documentation."""
        return self.is_example_file or offset > self._tests_from

    def is_cell_output(self, offset: int) -> bool:
        """Return True if an offset of a notebook is in the output or metadata of a cell."""
        if not self.is_notebook:
            return False
        source = self.text.rfind('"source":', 0, offset)
        return source < max(self.text.rfind(word, 0, offset) for word in _OTHER_CELL_KEYS)

    def offsets_of(self, word: bytes) -> Iterator[int]:
        """Yield the offset of each occurrence of a lower-case word, in any case."""
        yield from offsets_of(self.lower, word)

    @cached_property
    def _lines(self) -> LineIndex:
        return LineIndex(self.text)

    def position_of(self, offset: int) -> tuple[int, int]:
        """Return the 1-based line and column of an offset."""
        return self._lines.position(offset)

    def line_of(self, offset: int) -> str:
        """Return the line that contains an offset."""
        end = self.text.find("\n", offset)
        return self.text[self.text.rfind("\n", 0, offset) + 1 : end if end >= 0 else len(self.text)]


class SecretCheck(Check):
    """Base of every check for secrets: its catalogue entry, and the shared scan."""

    PLANE: ClassVar[Plane] = Plane.SECURITY
    SEVERITY: ClassVar[Severity] = Severity.ERROR
    DEFECT_CLASS: ClassVar[str | None] = "hardcoded-secret"
    MASKED: ClassVar[bool] = True
    IN_TESTS: ClassVar[bool] = False
    """True if it reports in tests, examples and documentation."""
    IN_GENERATED: ClassVar[bool] = False
    """True if it reports in generated files and data files."""
    ANCHORS: ClassVar[tuple[bytes, ...]] = ()
    """Words in lower case; every file with a match contains at least one, unless there are none."""

    @classmethod
    def is_possible(cls, path: str, anchors: Set[bytes]) -> bool:
        """Return True if a file can contain a match; a cheap test.

        Args:
            anchors: the words in it that are anchors of any check.
        """
        return not cls.ANCHORS or not anchors.isdisjoint(cls.ANCHORS)

    @classmethod
    def find(cls, text: ScannedText) -> Iterable[SecretMatch]:
        """Yield the secrets of this kind in a text, on all lines."""
        raise NotImplementedError

    def run(self) -> None:
        self.results += scan([type(self)], [type(self)], self.source)


def scan(
    order: Sequence[type[SecretCheck]], selected: Sequence[type[Check]], source: SourceFile
) -> list[RawFinding]:
    """Return the findings of the selected checks.

    Of two checks that match the same secret, the first in order reports it.
    """
    text = ScannedText(source.path, source.text, source.models, source.is_added, source.project.read)
    anchors = anchors_in(text, tuple(order))
    reported: list[tuple[int, int]] = []
    found: list[RawFinding] = []
    for check in order:
        if not check.is_possible(source.path, anchors):
            continue
        with source.isolate(check.ID):
            for hit in _hits(check, text):
                if len(reported) >= _MOST:
                    break
                span = _added_span(source, text, hit)
                if span is None or any(hit.start < end and start < hit.end for start, end in reported):
                    continue
                reported.append((hit.start, hit.end))
                if check in selected:
                    found.append(RawFinding(check.ID, source.path, span, hit.message, severity=hit.severity))
    return sorted(found, key=lambda result: result.span)


def anchors_in(text: ScannedText, checks: tuple[type[SecretCheck], ...]) -> Set[bytes]:
    """Return the anchors of the checks that a file contains; all of them for a long file."""
    if len(text.text) >= _LONG:
        return {word for check in checks for word in check.ANCHORS}
    index = keyword_index(text.text).in_lower_case
    return {word.encode() for word in _anchor_matcher(checks).matches(index)}


@lru_cache(maxsize=64)
def _anchor_matcher(checks: tuple[type[SecretCheck], ...]) -> KeywordMatcher:
    return KeywordMatcher({word.decode() for check in checks for word in check.ANCHORS})


def _hits(check: type[SecretCheck], text: ScannedText) -> Iterator[SecretMatch]:
    """Yield the matches of a check in the files and positions in which it reports."""
    if text.is_example_file and not check.IN_TESTS:
        return
    if text.is_generated and not check.IN_GENERATED:
        return
    for hit in check.find(text):
        if _is_excluded(check, text, hit.start):
            continue
        if not published_keys.is_published(text.text[hit.start : hit.end]):
            yield hit


def _is_excluded(check: type[SecretCheck], text: ScannedText, offset: int) -> bool:
    """Return True if a check reports nothing at an offset: in an example, or the output of a notebook."""
    if not check.IN_TESTS and text.is_example(offset):
        return True
    return not check.IN_GENERATED and text.is_cell_output(offset)


def _added_span(source: SourceFile, text: ScannedText, hit: SecretMatch) -> Span | None:
    """Return the span of a match from its first added line; None if no line of it was added."""
    (line, column), (last, end_column) = text.position_of(hit.start), text.position_of(hit.end)
    first = next((number for number in range(line, last + 1) if source.is_added(number)), None)
    if first is None:
        return None
    return Span(first, column if first == line else 1, last, end_column)
