"""The rules about a run whose results are right with a measured precision; the others state what happened."""

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
