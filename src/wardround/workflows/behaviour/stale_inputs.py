"""Calls with a value that a changed function of the base made, and that the head makes in another way."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from wardround.context.run_evidence import InputOrigin
from wardround.workflows.behaviour.comparison import FunctionResult
from wardround.workflows.behaviour.targets import Target

_REASON = "its arguments have values that changed functions of the base made"


def without_stale(targets: Sequence[Target], results: Sequence[FunctionResult]) -> tuple[FunctionResult, ...]:
    """Leave out differing calls with a value of a function whose results differ, or were not compared."""
    makers = {at for at, one in enumerate(zip(targets, results, strict=True)) if _makes_others(*one)}
    return tuple(_filtered(one, makers) for one in results)


def _makes_others(target: Target, result: FunctionResult) -> bool:
    """Return True if a function perhaps returns another value for the calls of the tests."""
    is_seen = any(
        pair.base.origin is InputOrigin.RECORDED and pair.base.kind == "returned" for pair in result.differing
    )
    return target.is_changed and (is_seen or not result.tests)


def _filtered(result: FunctionResult, makers: set[int]) -> FunctionResult:
    kept = tuple(pair for pair in result.differing if makers.isdisjoint(pair.base.made_by))
    if len(kept) == len(result.differing):
        return result
    inputs = result.inputs - len(result.differing) + len(kept)
    return msgspec.structs.replace(result, inputs=inputs, differing=kept, reason=result.reason or _REASON)
