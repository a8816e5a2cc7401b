"""Normal forms of syntax: a digest that ignores names of locals, and a sketch that ignores their order."""

from __future__ import annotations

import struct
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from wardround.storage.digest import sha256

NAME = "\x01"
"""Prefix of a token that is a plain name, which may be a local."""
LITERAL = "\x02"
"""Prefix of a token that is a string or a number."""
LOCAL = "\x03"
"""Prefix of a token that is a local of an inner scope."""
_RUN = 4
"""Tokens in a run; shorter ones are shared by unrelated code, longer ones break at every edit."""
_SKETCH = 24
"""Hashes in a sketch: the error of an estimated similarity is about 0.1."""
_DIGEST_HEX = 32
_HASH_BYTES = 4
_OWN = "\x00self"
_ANY_LOCAL = "v"
_ANY_LITERAL = "l"


def body_digest(tokens: Sequence[str], bound: Collection[str], own_name: str) -> str:
    """Return a digest that renaming the function and its locals does not change."""
    order: dict[str, str] = {}
    parts = []
    for token in tokens:
        name = token[1:]
        if token[0] == LOCAL or (token[0] == NAME and name in bound):
            parts.append(order.setdefault(name, f"\x00{len(order)}"))
        else:
            parts.append(_OWN if token[0] == NAME and name == own_name else token)
    return sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_HEX]


def shape(tokens: Sequence[str], bound: Collection[str]) -> bytes:
    """Return the sketch of a body: the smallest hashes of its runs of tokens."""
    found = runs(_general(tokens, bound))
    smallest = sorted({zlib.crc32(run.encode("utf-8", "surrogatepass")) for run in found})[:_SKETCH]
    return struct.pack(f">{len(smallest)}I", *smallest)


def hashes(sketch: bytes) -> tuple[int, ...]:
    """Return the hashes of a sketch, the smallest first."""
    return struct.unpack(f">{len(sketch) // _HASH_BYTES}I", sketch)


def _general(tokens: Sequence[str], bound: Collection[str]) -> list[str]:
    """Return tokens with every local as one token and every literal as another."""
    return mask_literals(mask_locals(tokens, bound))


def mask_locals(tokens: Iterable[str], bound: Collection[str]) -> tuple[str, ...]:
    """Return tokens with every local as one token."""
    return tuple(
        _ANY_LOCAL if token[0] == LOCAL or (token[0] == NAME and token[1:] in bound) else token
        for token in tokens
    )


def mask_literals(tokens: Iterable[str]) -> list[str]:
    """Return tokens with every literal as one token."""
    return [_ANY_LITERAL if token[0] == LITERAL else token for token in tokens]


def runs(tokens: Sequence[str]) -> Counter[str]:
    """Return the runs of tokens with their numbers."""
    return Counter(" ".join(tokens[at : at + _RUN]) for at in range(max(len(tokens) - _RUN + 1, 1)))


def similarity(item: bytes, other: bytes) -> float:
    """Return the estimated share of common runs of two sketches, 0 to 1."""
    first, second = hashes(item), hashes(other)
    merged = sorted({*first, *second})[: max(len(first), len(second))]
    common = {*first} & {*second}
    return sum(value in common for value in merged) / len(merged) if merged else 0.0
