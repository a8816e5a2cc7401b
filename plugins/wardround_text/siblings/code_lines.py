"""The lines of a text around the changed ones, with their tokens and their form, in any language."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import msgspec

from wardround.lazy import LazyPattern
from wardround.text.tokens import TOKEN

_COMMENT = LazyPattern(r"\s*(?:#(?!\[)|//|--(?!\S*:)|\*|/\*|<!--|\"\"\"|''')")
_ELSE = LazyPattern(r"\s*(?:\}?\s*else\s+(?=if\b)|el(?=if\b))")
_LONGEST = 400
"""The characters of a line that are compared."""
_REACH = 64
"""The lines before and after an added one that can belong to its group."""
_SEPARATORS = ",;&|"
_FORMS = {"string": '"', "name": "a", "number": "0"}


class Token(msgspec.Struct, frozen=True):
    """A string without its quotes, a name or a number.

    Attributes:
        column: of its first character, 1-based.
    """

    kind: str
    text: str
    line: int
    column: int


class CodeLine(msgspec.Struct, frozen=True, dict=True):
    """A line of a text; ``number`` is 1-based."""

    number: int
    text: str

    @property
    def is_code(self) -> bool:
        """True if it is neither blank nor a comment."""
        return bool(self.text.strip()) and _COMMENT.match(self.text) is None

    @cached_property
    def _matches(self) -> list[tuple[str, str, int]]:
        start = _ELSE.match(self.text)
        found = TOKEN.finditer(self.text, start.end() if start else 0, _LONGEST)
        return [(match.lastgroup or "", match[0], match.start()) for match in found]

    @cached_property
    def form(self) -> str:
        """The line without white space, each string, name and number replaced by a sign for its kind.

        ``else if`` is ``if``: the branches of a condition have the same form, and the last item of a list has
        that of the others.
        """
        form = "".join(_FORMS.get(kind, text) for kind, text, _ in self._matches)
        return form.strip(_SEPARATORS)

    @cached_property
    def values(self) -> list[Token]:
        """The strings, names and numbers."""
        return [_token(self.number, *match) for match in self._matches if match[0]]


def _token(line: int, kind: str, text: str, start: int) -> Token:
    is_quoted = kind == "string"
    return Token(kind, text[1:-1] if is_quoted else text, line, start + 1 + is_quoted)


def lines_near_added(lines: Sequence[str], is_added: Callable[[int], bool]) -> Iterator[list[CodeLine]]:
    """Yield the runs of lines near added ones, each line once."""
    run: list[CodeLine] = []
    end = 0
    for number in filter(is_added, range(1, len(lines) + 1)):
        first = max(end + 1, number - _REACH)
        if first > end + 1 and run:
            yield run
            run = []
        end = max(end, min(len(lines), number + _REACH))
        candidates = (CodeLine(at, lines[at - 1]) for at in range(first, end + 1))
        run += (line for line in candidates if line.is_code)
    if run:
        yield run
