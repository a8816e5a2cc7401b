"""Bounds on the output of a run: its tests can write to every file of results, more than a reader can
process.
"""

from __future__ import annotations

MOST_VALUES = 4_000_000
"""Maximum number of values of a JSON text; each takes up to a hundred bytes in memory, regardless of its
length in the text.
"""


def has_too_many_values(content: bytes) -> bool:
    """Return True if a JSON text, or lines of them, can have more values than a reader holds in memory.

    A value begins the text or a line, or follows one of these characters.
    """
    return sum(map(content.count, (b",", b"[", b"{", b"\n"))) > MOST_VALUES
