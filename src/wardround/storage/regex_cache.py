"""Regular expressions, compiled once for an interpreter and read from the cache from then on.

Compiling one takes about a millisecond, and a review of many kinds of files uses a hundred. What comes of it
is a list of numbers, which the interpreter checks before it takes them for a pattern. They are good for the
very version they were made by; that is part of the file's name.
"""

from __future__ import annotations

import os
import re
import sys
from array import array
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from wardround.storage.digest import sha256
from wardround.storage.paths import cache_dir

_NEWLINE = 10
_KEY, _CHECK, _SIZE = 16, 8, 4
"""Bytes of a record: what it is of, a digest of its body, and how long that is."""
_LARGEST = 8 * 1024 * 1024
"""Bytes; all patterns there are take half a megabyte."""
MOST_SPACES = 500
MOST_ON_A_LINE = 1_000
MOST_CHARACTERS = 1_000
MOST_ACROSS_LINES = 10_000
"""Rounds of a repeat in a bounded pattern, where the pattern has no limit of its own: of white space, of what
stays on one line (``.*``), of word characters and other chosen ones (an encoded key has some hundred), and of
anything else (``[^;]*``, a group). People write less, and a text costs so many times its length at most."""


class CompiledPattern(msgspec.Struct, frozen=True, array_like=True):
    """What a pattern is compiled to; ``code`` are 32-bit numbers."""

    flags: int
    groups: int
    names: dict[str, int]
    code: bytes

    def pattern(self, text: str) -> re.Pattern[str]:
        """The pattern they stand for.

        Raises:
            RuntimeError, TypeError, ValueError: they are no pattern.
        """
        by_number: list[str | None] = [None] * (self.groups + 1)
        for name, number in self.names.items():
            by_number[number] = name
        code = array("I", self.code).tolist()
        made: re.Pattern[str] = import_module("_sre").compile(
            text, self.flags, code, self.groups, self.names, tuple(by_number)
        )
        return made

    @classmethod
    def of(cls, text: str, flags: int, *, bounded: bool = False) -> CompiledPattern:
        """Compile a pattern, as ``re.compile`` does.

        Args:
            bounded: give every repeat a limit, so that a search reads no more than that from each position.

        Raises:
            re.error: it is no regular expression.
        """
        parsed: Any = import_module("re._parser").parse(text, flags)
        if bounded:
            _bound(parsed, across=bool((flags | parsed.state.flags) & re.DOTALL))
        code: list[int] = import_module("re._compiler")._code(parsed, flags)
        state = parsed.state
        return cls(flags | state.flags, state.groups - 1, dict(state.groupdict), array("I", code).tobytes())


def _bound(tree: Any, *, across: bool) -> None:
    """Limit every repeat of a parsed pattern that has no limit.

    One at the end keeps on, since nothing behind it can fail, and so does one that takes no sign the pattern
    begins with: ``#[^\\n]*`` and ``"[^"]*"`` read no part of a text twice.

    Args:
        across: whether a dot takes newlines.
    """
    constants: Any = import_module("re._constants")
    sign = tree[0][1] if len(tree) and tree[0][0] is constants.LITERAL else None
    _bound_part(tree, sign, across, constants, is_end=True)


def _bound_part(tree: Any, sign: int | None, across: bool, constants: Any, *, is_end: bool) -> None:
    """Limit the repeats of a part; ``sign`` is what every match begins with, if that is known."""
    repeats = (constants.MAX_REPEAT, constants.MIN_REPEAT, constants.POSSESSIVE_REPEAT)
    for number, (operation, given) in enumerate(tree):
        ends = is_end and number == len(tree) - 1
        if operation in repeats and given[1] is constants.MAXREPEAT:
            least, _, repeated = given
            if not (ends and _takes_one(repeated, constants)) and not _excludes(repeated, sign, constants):
                limit = _limit(repeated, constants, across=across)
                tree[number] = (operation, (least, least + limit, repeated))
        passes_on = ends and operation in (constants.BRANCH, constants.SUBPATTERN)
        for part in _parts(given):
            _bound_part(part, sign, across, constants, is_end=passes_on)


def _takes_one(repeated: Any, constants: Any) -> bool:
    """Return True if each round of a repeat takes one character of some, and can be taken in one way only."""
    one = (constants.IN, constants.ANY, constants.LITERAL, constants.NOT_LITERAL)
    return len(repeated) == 1 and repeated[0][0] in one


def _excludes(repeated: Any, sign: int | None, constants: Any) -> bool:
    """Return True if a repeat takes any character but some, and ``sign`` is one of those."""
    if len(repeated) != 1:
        return False
    operation, given = repeated[0]
    if operation is constants.NOT_LITERAL:
        return bool(given == sign)
    is_open = operation is constants.IN and given[0][0] is constants.NEGATE
    return is_open and (constants.LITERAL, sign) in given


def _parts(given: Any) -> Iterator[Any]:
    """The parsed sequences within an operation."""
    if isinstance(given, (tuple, list)):
        for one in given:
            yield from _parts(one)
    elif hasattr(given, "getwidth"):
        yield given


def _limit(repeated: Any, constants: Any, *, across: bool) -> int:
    """The limit of a repeat, by what it repeats."""
    operation: Any
    given: Any
    operation, given = repeated[0] if len(repeated) == 1 else (None, None)
    if operation is constants.ANY:
        return MOST_ACROSS_LINES if across else MOST_ON_A_LINE
    if operation is not constants.IN:
        return MOST_CHARACTERS if operation is constants.LITERAL else MOST_ACROSS_LINES
    if given == [(constants.CATEGORY, constants.CATEGORY_SPACE)]:
        return MOST_SPACES
    if given[0][0] is constants.NEGATE:
        return MOST_ON_A_LINE if (constants.LITERAL, _NEWLINE) in given else MOST_ACROSS_LINES
    categories = {what for kind, what in given if kind is constants.CATEGORY}
    return MOST_ACROSS_LINES if categories & _opposites(constants) else MOST_CHARACTERS


def _opposites(constants: Any) -> set[Any]:
    return {constants.CATEGORY_NOT_SPACE, constants.CATEGORY_NOT_WORD, constants.CATEGORY_NOT_DIGIT}


_NO_PATTERN = (
    msgspec.MsgspecError, ArithmeticError, AttributeError, ImportError, LookupError, RuntimeError, TypeError,
    ValueError,
)  # fmt: skip
"""What comes of numbers that are damaged, and of an interpreter that compiles in another way."""


class RegexCache:
    """The compiled patterns of a file; one that cannot be read or written costs time, nothing else."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._bodies: Mapping[bytes, bytes] = {}
        self._made: dict[tuple[str, int, bool], re.Pattern[str]] = {}
        with suppress(OSError):
            data = file.read_bytes()
            bodies = _records(data) if len(data) <= _LARGEST else None
            if bodies is None:
                file.unlink()  # it was cut off, or has grown for no good reason
            self._bodies = bodies or {}

    def compiled(self, text: str, flags: int = 0, *, bounded: bool = False) -> re.Pattern[str]:
        """The pattern of a text.

        Args:
            bounded: let it take time in proportion to the text it searches; see ``Numbers.of``.

        Raises:
            re.error: it is no regular expression.
        """
        made = self._made.get((text, flags, bounded))
        if made is None:
            made = self._made[text, flags, bounded] = self._read_or_made(text, flags, bounded)
        return made

    def _read_or_made(self, text: str, flags: int, bounded: bool) -> re.Pattern[str]:
        limits = f"2 {MOST_SPACES} {MOST_ON_A_LINE} {MOST_CHARACTERS} {MOST_ACROSS_LINES}" if bounded else ""
        key = _digest(f"{flags} {limits}\0{text}".encode("utf-8", "surrogatepass"), _KEY)
        body = self._bodies.get(key)
        if body is not None and _digest(body[_CHECK:], _CHECK) == body[:_CHECK]:
            with suppress(*_NO_PATTERN):
                return msgspec.msgpack.decode(body[_CHECK:], type=CompiledPattern).pattern(text)
        try:
            numbers = CompiledPattern.of(text, flags, bounded=bounded)
            pattern = numbers.pattern(text)
        except _NO_PATTERN:
            return re.compile(text, flags)
        encoded = msgspec.msgpack.encode(numbers)
        self._add(key, _digest(encoded, _CHECK) + encoded)
        return pattern

    def _add(self, key: bytes, body: bytes) -> None:
        """Append a record, in one write: other reviews may do the same."""
        with suppress(OSError):
            self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle = os.open(self.file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(handle, key + len(body).to_bytes(_SIZE, "big") + body)
            finally:
                os.close(handle)


def _digest(data: bytes, length: int) -> bytes:
    return sha256(data).digest()[:length]


def _records(data: bytes) -> dict[bytes, bytes] | None:
    """The bodies in a file by their keys; None where the last one was cut off."""
    found: dict[bytes, bytes] = {}
    place = 0
    while place < len(data):
        start = place + _KEY + _SIZE
        end = start + int.from_bytes(data[place + _KEY : start], "big")
        if end > len(data):
            return None
        found[data[place : place + _KEY]] = data[start:end]
        place = end
    return found


@cache
def regex_cache() -> RegexCache:
    """The patterns of this interpreter in the cache folder."""
    parts = (sys.implementation.cache_tag, *sys.version_info, import_module("_sre").MAGIC)
    return RegexCache(cache_dir() / f"patterns-{'-'.join(map(str, parts))}")


@lru_cache(maxsize=1024)
def bounded(text: str, flags: int = 0) -> re.Pattern[str]:
    """The pattern of a text that is made while a review runs; what has no limit in it gets one.

    A search takes time in proportion to the text then; see ``LatePattern``.

    Raises:
        re.error: it is no regular expression.
    """
    return CompiledPattern.of(text, int(flags), bounded=True).pattern(text)
