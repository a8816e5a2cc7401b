"""Canonical JSON (RFC 8785), and a decoder that accepts nothing else.

One value has exactly one encoding, so that a digest identifies a value and every changed byte is detected.
"""

from __future__ import annotations

import json
from typing import Any

import rfc8785

_LARGEST_INTEGER = 2**53 - 1
"""The largest integer that every JSON implementation reads exactly."""


class NotCanonical(ValueError):
    """Bytes are not the canonical encoding of a JSON value; the text is the reason, with the position.

    Attributes:
        offset: 0-based position of the first byte at fault.
    """

    def __init__(self, offset: int, reason: str) -> None:
        super().__init__(f"byte {offset + 1}: {reason}")
        self.offset = offset


def encode(value: Any) -> bytes:
    """Return the canonical encoding of a value.

    Raises:
        ValueError: it has no encoding: a number that is not finite, an integer beyond 2**53 - 1, text with
            unpaired surrogates, a key that is not text, or nesting that is too deep.
    """
    try:
        return rfc8785.dumps(value)
    except RecursionError as cause:
        raise ValueError("it is nested too deeply") from cause
    except (TypeError, AttributeError) as cause:
        raise ValueError(str(cause)) from cause


def decode(data: bytes) -> Any:
    """Return the value of a canonical encoding.

    Raises:
        NotCanonical: it is not JSON, has duplicate keys or trailing data, or is encoded in another way.
    """
    value = _value(data)
    try:
        expected = encode(value)
    except ValueError as cause:
        raise NotCanonical(0, f"not canonical JSON: {cause}") from cause
    if expected != data:
        raise NotCanonical(
            _first_difference(data, expected), "not the canonical encoding of its value (RFC 8785)"
        )
    return value


def _value(data: bytes) -> Any:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as cause:
        raise NotCanonical(cause.start, "not UTF-8") from cause
    try:
        return json.loads(
            text, object_pairs_hook=_object, parse_int=_integer, parse_constant=_reject_constant
        )
    except json.JSONDecodeError as cause:
        offset = len(text[: cause.pos].encode())
        raise NotCanonical(offset, f"not JSON: {cause.msg[:1].lower()}{cause.msg[1:]}") from cause
    except RecursionError as cause:
        raise NotCanonical(0, "not JSON: it is nested too deeply") from cause
    except ValueError as cause:
        raise NotCanonical(0, f"not JSON: {cause}") from cause


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"duplicate key {key[:40]!r}")
        found[key] = value
    return found


def _integer(digits: str) -> int | float:
    """Read an integer as the number that RFC 8785 encodes; beyond 2**53 it is the nearest double."""
    number = int(digits)
    return number if abs(number) <= _LARGEST_INTEGER else float(digits)


def _reject_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _first_difference(found: bytes, expected: bytes) -> int:
    pairs = enumerate(zip(found, expected, strict=False))
    return next((at for at, (left, other) in pairs if left != other), min(len(found), len(expected)))
