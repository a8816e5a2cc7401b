"""Similarity of a string to the words and names of code, from a table of character trigrams.

The table was counted on the code of the repositories the model was trained on. Letters are case-folded, all
digits map to one symbol, everything else to one separator.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import TypeAlias

SYMBOLS = "abcdefghijklmnopqrstuvwxyz0_"
TABLE = "trigrams.txt"
_SIZE = len(SYMBOLS)
_FIRST, _LEVELS = ord("0"), 64
_STEP = 0.25
"""Bits between two levels; a character of the table is a level, from 0 bits up to 15.75."""
_SMOOTHING = 0.5
_FOLDED = {
    **{char: at for at, char in enumerate(SYMBOLS)},
    **{char.upper(): at for at, char in enumerate(SYMBOLS[:26])},
    **dict.fromkeys("0123456789", SYMBOLS.index("0")),
}
_OTHER = SYMBOLS.index("_")

Table: TypeAlias = bytes
"""Levels by (first, second, third) symbol, flattened; each level is one printable character."""


@cache
def table() -> Table:
    """Return the table that ships with the plugin."""
    text: bytes = (files("wardround_secrets.classifier") / TABLE).read_bytes()
    return text.replace(b"\n", b"")


def surprises(text: str, counted: Table | None = None) -> list[float]:
    """Return the surprisal of each character in bits, given the two before it;

    a word begins after a separator.
    """
    known = table() if counted is None else counted
    first = second = _OTHER
    found = []
    for char in text:
        third = _FOLDED.get(char, _OTHER)
        found.append((known[(first * _SIZE + second) * _SIZE + third] - _FIRST) * _STEP)
        first, second = second, third
    return found


def trigram_table(texts: Iterable[str]) -> Table:
    """Return the frequency table of character trigrams in some texts."""
    counts: Counter[tuple[int, int, int]] = Counter()
    for text in texts:
        symbols = [_OTHER, _OTHER, *(_FOLDED.get(char, _OTHER) for char in text), _OTHER]
        counts.update(zip(symbols, symbols[1:], symbols[2:], strict=False))
    levels = bytearray()
    for first in range(_SIZE):
        for second in range(_SIZE):
            row = [counts[first, second, third] + _SMOOTHING for third in range(_SIZE)]
            bits = (-math.log2(count / sum(row)) for count in row)
            levels += bytes(_FIRST + min(_LEVELS - 1, round(bit / _STEP)) for bit in bits)
    return bytes(levels)


def serialize(known: Table) -> bytes:
    """Return a table in its file format: one line for each pair of symbols."""
    return b"".join(known[at : at + _SIZE] + b"\n" for at in range(0, len(known), _SIZE))
