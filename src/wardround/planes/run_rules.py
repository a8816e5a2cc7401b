"""The rules about a run with a measured precision; the others only report events."""

from __future__ import annotations

MEASURED = frozenset(
    {
        "run/behaviour",
        "run/promised-behaviour",
        "run/published-behaviour",
        "run/unnoticed-mutation",
        "run/unstated-behaviour",
    }
)
