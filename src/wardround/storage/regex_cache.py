"""Regular expressions, compiled once for an interpreter and then read from the cache.

Compiling one takes about a millisecond, and a review of many kinds of files uses a hundred. The result is a
list of numbers, which the interpreter verifies before it accepts them as a pattern. They are valid for
exactly the version that compiled them, which is part of the file's name. One file contains all of them: a
database would take longer to open than the file takes to read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path

import msgspec

from wardround.storage import cpython
from wardround.storage.compiled_regex import (
    MOST_ACROSS_LINES,
    MOST_CHARACTERS,
    MOST_ON_A_LINE,
    MOST_SPACES,
    CompiledPattern,
)
from wardround.storage.digest import sha256
from wardround.storage.paths import cache_dir

_KEY, _CHECK, _SIZE = 16, 8, 4
"""Bytes of a record: the digest of its pattern, a digest of its body, and the body's length."""
_LARGEST = 8 * 1024 * 1024
"""Bytes; all existing patterns take half a megabyte."""
_NO_PATTERN = (
    msgspec.MsgspecError, ArithmeticError, AttributeError, ImportError, LookupError, RuntimeError, TypeError,
    ValueError,
)  # fmt: skip
"""Raised for damaged numbers, and by an interpreter that compiles differently."""


class RegexCache:
    """The compiled patterns of a file; one that cannot be read or written only costs time."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._bodies: Mapping[bytes, bytes] = {}
        self._made: dict[tuple[str, int, bool], re.Pattern[str]] = {}
        with suppress(OSError):
            data = file.read_bytes()
            bodies = _records(data) if len(data) <= _LARGEST else None
            if bodies is None:
                file.unlink()  # it was truncated, or has grown for no good reason
            self._bodies = bodies or {}

    def compile(self, text: str, flags: int = 0, *, bounded: bool = False) -> re.Pattern[str]:
        """Return the pattern of a text.

        Args:
            bounded: make the time of a search proportional to the text; see ``CompiledPattern.of``.

        Raises:
            re.error: it is not a regular expression.
        """
        created = self._made.get((text, flags, bounded))
        if created is None:
            created = self._made[text, flags, bounded] = self._load_or_compile(text, flags, bounded)
        return created

    def _load_or_compile(self, text: str, flags: int, bounded: bool) -> re.Pattern[str]:
        if not cpython.is_tested():
            return re.compile(text, flags)
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
    """Return the bodies in a file by their keys; None if the last one was truncated."""
    found: dict[bytes, bytes] = {}
    location = 0
    while location < len(data):
        start = location + _KEY + _SIZE
        end = start + int.from_bytes(data[location + _KEY : start], "big")
        if end > len(data):
            return None
        found[data[location : location + _KEY]] = data[start:end]
        location = end
    return found


@cache
def regex_cache() -> RegexCache:
    """Return the patterns of this interpreter in the cache folder."""
    return RegexCache(cache_dir() / f"patterns-{'-'.join(map(str, cpython.engine_version()))}")


@lru_cache(maxsize=1024)
def bounded_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return the pattern of a text that is built during a review, with a limit for every repetition.

    The time of a search is then proportional to the text; see ``LazyPattern``.

    Raises:
        re.error: it is not a regular expression.
    """
    if not cpython.is_tested():
        return re.compile(text, int(flags))
    return CompiledPattern.of(text, int(flags), bounded=True).pattern(text)
