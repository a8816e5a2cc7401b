"""Calls with a value created by a changed function of the base that the head creates differently."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from wardround.context.run_evidence import InputOrigin
from wardround.workflows.behaviour.comparison import FunctionResult
from wardround.workflows.behaviour.targets import Target

_REASON = "its arguments have values that changed functions of the base made"


def drop_stale(targets: Sequence[Target], results: Sequence[FunctionResult]) -> tuple[FunctionResult, ...]:
    """Exclude differing calls with a value of a function whose results differ, or were not compared."""
    makers = {at for at, pair in enumerate(zip(targets, results, strict=True)) if _makes_others(*pair)}
    return tuple(_filter_pairs(result, makers) for result in results)


def _makes_others(target: Target, result: FunctionResult) -> bool:
    """Return True if a function perhaps returns another value for the calls of the tests."""
    is_seen = any(
        pair.base.origin is InputOrigin.RECORDED and pair.base.kind == "returned" for pair in result.differing
    )
    return target.is_changed and (is_seen or not result.tests)


def _filter_pairs(result: FunctionResult, makers: set[int]) -> FunctionResult:
    retained = tuple(pair for pair in result.differing if makers.isdisjoint(pair.base.made_by))
    if len(retained) == len(result.differing):
        return result
    inputs = result.inputs - len(result.differing) + len(retained)
    return msgspec.structs.replace(result, inputs=inputs, differing=retained, reason=result.reason or _REASON)
