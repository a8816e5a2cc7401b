"""Printed strings: the result of a function that is to print, and of no interest in others."""

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
    for call in base:
        if call.origin is not InputOrigin.RECORDED or call.kind not in ("returned", "raised"):
            continue
        calls[call.function] += 1
        printing[call.function] += bool(call.printed)
        if not _has_no_result(call):
            others.add(call.function)
    return frozenset(at for at, count in calls.items() if 2 * printing[at] > count and at not in others)


def drop_other_output(calls: Sequence[ReplayedCall], printing: frozenset[int]) -> tuple[ReplayedCall, ...]:
    """Return calls without the output of other functions, such as messages for developers."""
    return tuple(
        call if call.function in printing or not call.printed else msgspec.structs.replace(call, printed="")
        for call in calls
    )


def _has_no_result(call: ReplayedCall) -> bool:
    """Return True for a call that returned None or a number, or raised."""
    return call.kind == "raised" or call.text == "None" or call.text.lstrip("-").isdigit()
