"""Printed texts: the result of a function that is to print, and of no interest in others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from wardround.context.run_evidence import InputOrigin
from wardround.workflows.behaviour.stages import ReplayedCall


def printing_functions(base: Iterable[ReplayedCall]) -> frozenset[int]:
    """Return the functions that print for most recorded inputs and never return more than an exit status."""
    calls: Counter[int] = Counter()
    printing: Counter[int] = Counter()
    others = set()
    for one in base:
        if one.origin is not InputOrigin.RECORDED or one.kind not in ("returned", "raised"):
            continue
        calls[one.function] += 1
        printing[one.function] += bool(one.printed)
        if not _has_no_result(one):
            others.add(one.function)
    return frozenset(at for at, count in calls.items() if 2 * printing[at] > count and at not in others)


def without_other_output(calls: Sequence[ReplayedCall], printing: frozenset[int]) -> tuple[ReplayedCall, ...]:
    """Return calls without what other functions print, such as text for a developer."""
    return tuple(
        one if one.function in printing or not one.printed else msgspec.structs.replace(one, printed="")
        for one in calls
    )


def _has_no_result(call: ReplayedCall) -> bool:
    """Return True for a call that returned None or a number, or raised."""
    return call.kind == "raised" or call.text == "None" or call.text.lstrip("-").isdigit()
