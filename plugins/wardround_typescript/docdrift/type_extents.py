"""The extent of a type in a script, read token by token: nothing marks its end."""

from __future__ import annotations

import re

from wardround.languages.script.scanner import Scan
from wardround.lazy import LazyPattern
from wardround_typescript.docdrift.parameters import skip_type_arguments

_LONGEST_TYPE = 3_000
_TOKEN = LazyPattern(r"\s+|[\w$]+|=>|.", re.DOTALL)
_OPERATORS = frozenset(
    {
        "extends",
        "keyof",
        "typeof",
        "infer",
        "is",
        "asserts",
        "readonly",
        "unique",
        "new",
        "in",
        "as",
        "abstract",
    }
)
_JOINTS = frozenset("|&.?:-")
_BRACKETS = frozenset("([{")
_WORD_SIGNS = frozenset("_$'\"`")
_LITERAL_SIGNS = frozenset("'\"`_")
"""First characters of words that may follow a type without an operator between them."""


def type_end(scan: Scan, start: int, *, arrow: bool) -> int:
    """Return the end of a type that starts at a position.

    Args:
        arrow: True if ``=>`` ends the type, as in the return type of an arrow function.
    """
    return _TypeReader(scan, start, arrow=arrow).end()


class _TypeReader:
    """A position in a type, and the parser state: inside an unfinished type more tokens are expected."""

    def __init__(self, scan: Scan, start: int, *, arrow: bool) -> None:
        self._scan = scan
        self._at = start
        self._stop = min(len(scan.structure), start + _LONGEST_TYPE)
        self._arrow = arrow
        self._expects_more = True

    def end(self) -> int:
        while self._at < self._stop:
            piece = _TOKEN.match(self._scan.structure, self._at, self._stop)
            if piece is None:
                break
            if not self._consume_token(piece[0]):
                return self._at
        return self._stop

    def _consume_token(self, piece: str) -> bool:
        """Advance over a token of the type; return False at one behind it."""
        if piece.isspace():
            self._at += len(piece)
            return True
        if piece in _BRACKETS:
            return self._consume_bracket(piece)
        if piece == "<":
            behind = skip_type_arguments(self._scan, self._at, self._stop)
            return self._advance(behind or self._stop, expects_more=False)
        if piece in _JOINTS or (piece == "=>" and not self._arrow):
            return self._advance(self._at + len(piece), expects_more=True)
        if piece[0].isalnum() or piece[0] in _WORD_SIGNS:
            return self._consume_word(piece)
        return False

    def _consume_bracket(self, bracket: str) -> bool:
        begins_line = "\n" in self._scan.structure[self._at - 1 : self._at]
        if not self._expects_more and (bracket == "{" or begins_line):
            return False
        return self._advance(self._scan.pairs.get(self._at, self._stop) + 1, expects_more=False)

    def _consume_word(self, word: str) -> bool:
        is_operator = word in _OPERATORS
        if not (self._expects_more or is_operator or word[0] in _LITERAL_SIGNS):
            return False
        return self._advance(self._at + len(word), expects_more=is_operator)

    def _advance(self, at: int, *, expects_more: bool) -> bool:
        self._at = at
        self._expects_more = expects_more
        return True
