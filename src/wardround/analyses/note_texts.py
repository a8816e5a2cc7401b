"""Sentences about several notes, as analyses write them for reports and derivations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

_MOST_NAMES = 6


def shorten_names(names: Sequence[str]) -> str:
    """Return the first names in one line, and the number of the others."""
    omitted = len(names) - _MOST_NAMES
    more = f" and {omitted} more" if omitted > 0 else ""
    return ", ".join(names[:_MOST_NAMES]) + more


def kind_counts(label: str, kinds: Collection[str]) -> Iterator[str]:
    """Yield a line with the number of the notes of each kind; none without notes."""
    if kinds:
        counts = ", ".join(f"{count} {kind}" for kind, count in sorted(Counter(kinds).items()))
        yield f"{label}: {counts}"
