"""A file as segments that do not overlap: its functions, and the lines between them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import msgspec

from wardround.authoring.context.base_tree import lines_of
from wardround.lazy import LazyPattern
from wardround.retrieval.definitions import Definition, functions

LONGEST_FUNCTION = 150
"""Lines; a longer definition that holds others, such as a closure around a module, is read as a container."""
_SHORT_CLASS = 25
"""Lines up to which a class is one segment."""
_LONGEST_GAP = 40
"""Lines between functions that are one segment, unless no blank line is among them."""
_CONTAINER = LazyPattern(
    r"(?:export |default |abstract |declare |public |private |final |static |pub |data |sealed )*"
    r"(?:class|interface|enum|namespace|struct|trait|impl|module|object)\b"
)
_LEADING = ("@", "#", "//", "/*", "*", "--")


class Segment(msgspec.Struct, frozen=True, order=True):
    """Lines of a file, 1-based and inclusive.

    Attributes:
        symbol: qualified name of the function; of lines between functions that of the class around them.
        is_function: the lines are a complete function, or a short class.
    """

    path: str
    first_line: int
    last_line: int
    symbol: str = ""
    is_function: bool = False

    @property
    def size(self) -> int:
        """The number of lines."""
        return self.last_line - self.first_line + 1

    def contains(self, path: str, line: int) -> bool:
        """Return True for one of its lines."""
        return path == self.path and self.first_line <= line <= self.last_line


def segments(path: str, text: str) -> list[Segment]:
    """Return the segments of a file in source order; blank lines between them belong to none."""
    lines = lines_of(text)
    defined = functions(path, text)
    wholes = list(_whole_definitions(path, lines, defined))
    found: list[Segment] = []
    last = 0
    for whole in wholes:
        found += _gaps(path, lines, last + 1, whole.first_line - 1, defined)
        found.append(whole)
        last = whole.last_line
    return [*found, *_gaps(path, lines, last + 1, len(lines), defined)]


def _whole_definitions(path: str, lines: Sequence[str], defined: Sequence[Definition]) -> Iterator[Segment]:
    """Yield the outermost definitions that are no containers, with their decorators and comments."""
    last = 0
    for at, definition in enumerate(defined):
        if definition.line <= last or definition.end_line > len(lines):
            continue
        inner = defined[at + 1].line <= definition.end_line if at + 1 < len(defined) else False
        if inner and _is_container(definition):
            continue
        first = _first_line(lines, definition.line, last + 1)
        last = definition.end_line
        yield Segment(path, first, last, definition.name, is_function=True)


def _is_container(definition: Definition) -> bool:
    size = definition.end_line - definition.line + 1
    if _CONTAINER.match(definition.signature):
        return size > _SHORT_CLASS
    return size > LONGEST_FUNCTION


def _first_line(lines: Sequence[str], line: int, least: int) -> int:
    """Return the first line of the decorators and comments directly above a definition."""
    while line > least and lines[line - 2].strip().startswith(_LEADING):
        line -= 1
    return line


def _gaps(
    path: str, lines: Sequence[str], first: int, last: int, defined: Sequence[Definition]
) -> Iterator[Segment]:
    """Yield the lines between two functions, split where a class begins, and at blank lines if long."""
    heads = {_first_line(lines, found.line, first) for found in defined if first <= found.line <= last}
    for start, end in _blocks(lines, first, last, heads):
        around = [found.name for found in defined if found.line <= end <= found.end_line]
        yield Segment(path, start, end, around[-1] if around else "")


def _blocks(lines: Sequence[str], first: int, last: int, heads: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yield runs of lines that begin and end with text, each as long as blank lines permit."""
    start = end = 0
    for number in range(first, last + 1):
        if not lines[number - 1].strip():
            continue
        is_full = start and number - start >= _LONGEST_GAP and not lines[number - 2].strip()
        if start and (is_full or number in heads):
            yield start, end
            start = number
        start = start or number
        end = number
    if start:
        yield start, end
