"""The calls whose result a change altered, with both results."""

from __future__ import annotations

import msgspec

from wardround.context.run_evidence import BehaviourDifference, InputOrigin, Observed
from wardround_lab.dashboard.views.recorded_run import RecordedRun

_ORIGINS = {
    InputOrigin.RECORDED: "recorded in",
    InputOrigin.MUTATED: "changed from a call recorded in",
    InputOrigin.CROSSED: "combined from calls, one of them recorded in",
}


class ResultDifference(msgspec.Struct, frozen=True):
    """A call with its results at base and head.

    Attributes:
        place: ``path:line`` of the function.
        base, head: what the call returned or raised, with its further effects, one on each line.
        part: the part in which long results differ; empty if both are short.
        origin: where its arguments come from.
        through: the public function through which it was reached; empty if it is one.
    """

    place: str
    function: str
    call: str
    base: str
    head: str
    part: str
    origin: str
    through: str
    callers: tuple[str, ...]


def result_differences(run: RecordedRun) -> list[ResultDifference]:
    """Return the differences of a run, in the order of the report."""
    behaviour = run.evidence.behaviour
    return [_difference(found) for found in behaviour.differences] if behaviour is not None else []


def _difference(found: BehaviourDifference) -> ResultDifference:
    return ResultDifference(
        f"{found.path}:{found.line}",
        found.function,
        found.call,
        _effects(found.before),
        _effects(found.after),
        found.part,
        f"{_ORIGINS[found.origin]} {found.test or 'the start of the tests'}",
        found.through or found.recorded_through,
        found.callers,
    )


def _effects(observed: Observed) -> str:
    result = f"raised {observed.raised}" if observed.raised is not None else f"returned {observed.returned}"
    lines = [result, *(f"afterwards {argument}" for argument in observed.arguments)]
    return "\n".join([*lines, f"printed {observed.printed!r}"] if observed.printed else lines)
