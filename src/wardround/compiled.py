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
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from wardround.digests import sha256
from wardround.folders import cache_folder

_KEY, _CHECK, _SIZE = 16, 8, 4
"""Bytes of a record: what it is of, a digest of its body, and how long that is."""
_LARGEST = 8 * 1024 * 1024
"""Bytes; all patterns there are take half a megabyte."""


class Numbers(msgspec.Struct, frozen=True, array_like=True):
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
    def of(cls, text: str, flags: int) -> Numbers:
        """Compile a pattern, as ``re.compile`` does.

        Raises:
            re.error: it is no regular expression.
        """
        parsed: Any = import_module("re._parser").parse(text, flags)
        code: list[int] = import_module("re._compiler")._code(parsed, flags)
        state = parsed.state
        return cls(flags | state.flags, state.groups - 1, dict(state.groupdict), array("I", code).tobytes())


_NO_PATTERN = (
    msgspec.MsgspecError, ArithmeticError, AttributeError, ImportError, LookupError, RuntimeError, TypeError,
    ValueError,
)  # fmt: skip
"""What comes of numbers that are damaged, and of an interpreter that compiles in another way."""


class Store:
    """The compiled patterns of a file; one that cannot be read or written costs time, nothing else."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._bodies: Mapping[bytes, bytes] = {}
        with suppress(OSError):
            data = file.read_bytes()
            bodies = _records(data) if len(data) <= _LARGEST else None
            if bodies is None:
                file.unlink()  # it was cut off, or has grown for no good reason
            self._bodies = bodies or {}

    def compiled(self, text: str, flags: int = 0) -> re.Pattern[str]:
        """The pattern of a text.

        Raises:
            re.error: it is no regular expression.
        """
        key = _digest(f"{flags}\0{text}".encode("utf-8", "surrogatepass"), _KEY)
        body = self._bodies.get(key)
        if body is not None and _digest(body[_CHECK:], _CHECK) == body[:_CHECK]:
            with suppress(*_NO_PATTERN):
                return msgspec.msgpack.decode(body[_CHECK:], type=Numbers).pattern(text)
        try:
            numbers = Numbers.of(text, flags)
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
def store() -> Store:
    """The patterns of this interpreter in the cache folder."""
    parts = (sys.implementation.cache_tag, *sys.version_info, import_module("_sre").MAGIC)
    return Store(cache_folder() / f"patterns-{'-'.join(map(str, parts))}")
