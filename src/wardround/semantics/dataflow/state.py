"""The state at one program point: the taint of each name, and the values that guards sanitize."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import and_

from wardround.semantics.dataflow.domain import Kind, Taint, join

Sanitized = Mapping[str, Kind]
"""Name -> the kinds of sink for which a guard shows its value to be harmless."""


def joined_taints(
    first: Mapping[str, Taint[Kind]], second: Mapping[str, Taint[Kind]]
) -> dict[str, Taint[Kind]]:
    """Return the taint of each name after one of two branches."""
    joined = dict(first)
    for name, taint in second.items():
        other = joined.get(name)
        if other is not taint:
            joined[name] = taint if other is None else join(other, taint)
    return joined


def sanitized_by_any(guards: Sequence[Sanitized[Kind]]) -> Sanitized[Kind]:
    """Return the sanitized values if every guard holds."""
    found: dict[str, Kind] = {}
    for guard in guards:
        for name, kinds in guard.items():
            found[name] = found[name] | kinds if name in found else kinds
    return found


def sanitized_by_all(guards: Sequence[Sanitized[Kind]]) -> Sanitized[Kind]:
    """Return the sanitized values if at least one guard is true: the kinds that all of them share."""
    first, *others = guards
    shared = {
        name: reduce(and_, (other.get(name, kinds & ~kinds) for other in others), kinds)
        for name, kinds in first.items()
    }
    return {name: kinds for name, kinds in shared.items() if kinds}
