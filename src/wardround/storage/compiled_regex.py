"""Regular expressions as their compiled code, on request with a limit for every repetition.

Python's engine starts a search at each position, and each attempt may read to the end of a hostile text.
With
limits the time of a search is proportional to the text.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from typing import Any

import msgspec

from wardround.storage import cpython

_NEWLINE = 10
MOST_SPACES = 500
MOST_ON_A_LINE = 1_000
MOST_CHARACTERS = 1_000
MOST_ACROSS_LINES = 10_000
"""The limits on unlimited repetitions in a bounded pattern.

For white space, text on one line (``.*``), word characters and other character classes (an encoded key has
some hundred), and anything else (``[^;]*``, a group). People write less, and the cost per character is at
most the limit.
"""


class CompiledPattern(msgspec.Struct, frozen=True, array_like=True):
    """A pattern's code, in 32-bit numbers, and the other arguments of the interpreter."""

    flags: int
    groups: int
    names: dict[str, int]
    code: bytes

    def pattern(self, text: str) -> re.Pattern[str]:
        """Return the pattern of the code.

        Raises:
            LookupError, RuntimeError, TypeError, ValueError: it is not the code of a pattern.
        """
        code = array("I", self.code).tolist()
        return cpython.compile_code(text, self.flags, code, self.groups, self.names)

    @classmethod
    def of(cls, text: str, flags: int, *, bounded: bool = False) -> CompiledPattern:
        """Compile a pattern, as ``re.compile`` does.

        Args:
            bounded: limit every repetition, so that a search reads no more than that from each position.

        Raises:
            re.error: it is not a regular expression.
        """
        parsed = cpython.parse_regex(text, flags)
        if bounded:
            _bind_repetitions(parsed, across=bool((flags | parsed.state.flags) & re.DOTALL))
        code = cpython.regex_code(parsed, flags)
        state = parsed.state
        return cls(flags | state.flags, state.groups - 1, dict(state.groupdict), array("I", code).tobytes())


def _bind_repetitions(tree: Any, *, across: bool) -> None:
    r"""Limit every repetition of a parsed pattern that has no limit.

    A repetition at the end is unchanged, since nothing after it can fail, and so is one that excludes the
    character that the pattern begins with: ``#[^\n]*`` and ``"[^"]*"`` read no part of a string twice.

    Args:
        across: True if a dot matches newlines.
    """
    constants = cpython.regex_constants()
    first = tree[0][1] if len(tree) and tree[0][0] is constants.LITERAL else None
    _limit_part(tree, first, across, constants, is_end=True)


def _limit_part(tree: Any, first: int | None, across: bool, constants: Any, *, is_end: bool) -> None:
    """Limit the repetitions of a part; every match begins with the character ``first``, if that is known."""
    repeats = (constants.MAX_REPEAT, constants.MIN_REPEAT, constants.POSSESSIVE_REPEAT)
    for number, (operation, argument) in enumerate(tree):
        ends = is_end and number == len(tree) - 1
        if operation in repeats and argument[1] is constants.MAXREPEAT:
            least, _, repeated = argument
            if not (ends and _matches_single_class(repeated, constants)) and not _excludes_character(
                repeated, first, constants
            ):
                limit = _limit(repeated, constants, across=across)
                tree[number] = (operation, (least, least + limit, repeated))
        passes_on = ends and operation in (constants.BRANCH, constants.SUBPATTERN)
        for part in _parts(argument):
            _limit_part(part, first, across, constants, is_end=passes_on)


def _matches_single_class(repeated: Any, constants: Any) -> bool:
    """Return True if each iteration of a repetition matches one character of a class, in one way only."""
    item = (constants.IN, constants.ANY, constants.LITERAL, constants.NOT_LITERAL)
    return len(repeated) == 1 and repeated[0][0] in item


def _excludes_character(repeated: Any, character: int | None, constants: Any) -> bool:
    """Return True if a repetition matches any character except some, and ``character`` is one of those."""
    if len(repeated) != 1:
        return False
    operation, argument = repeated[0]
    if operation is constants.NOT_LITERAL:
        return bool(argument == character)
    is_open = operation is constants.IN and argument[0][0] is constants.NEGATE
    return is_open and (constants.LITERAL, character) in argument


def _parts(argument: Any) -> Iterator[Any]:
    """Yield the parsed sequences within the argument of an operation."""
    if isinstance(argument, (tuple, list)):
        for part in argument:
            yield from _parts(part)
    elif hasattr(argument, "getwidth"):
        yield argument


def _limit(repeated: Any, constants: Any, *, across: bool) -> int:
    """Return the limit of a repetition, by the repeated part."""
    operation: Any
    argument: Any
    operation, argument = repeated[0] if len(repeated) == 1 else (None, None)
    if operation is constants.ANY:
        return MOST_ACROSS_LINES if across else MOST_ON_A_LINE
    if operation is constants.LITERAL:
        return MOST_CHARACTERS
    if operation is constants.IN:
        return _limit_of_class(argument, constants)
    return MOST_ACROSS_LINES


def _limit_of_class(members: Any, constants: Any) -> int:
    if members == [(constants.CATEGORY, constants.CATEGORY_SPACE)]:
        return MOST_SPACES
    if members[0][0] is constants.NEGATE:
        return MOST_ON_A_LINE if (constants.LITERAL, _NEWLINE) in members else MOST_ACROSS_LINES
    categories = {category for kind, category in members if kind is constants.CATEGORY}
    return MOST_ACROSS_LINES if categories & _opposites(constants) else MOST_CHARACTERS


def _opposites(constants: Any) -> set[Any]:
    return {constants.CATEGORY_NOT_SPACE, constants.CATEGORY_NOT_WORD, constants.CATEGORY_NOT_DIGIT}
