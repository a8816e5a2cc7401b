"""The time of the effects of a stage, recorded with their results, so that a resumed trial has the same."""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

import msgspec

from wardround.authoring.sequence import Effects

Result = TypeVar("Result")


class TimedResult(msgspec.Struct, frozen=True):
    """The result of an effect with its elapsed time and its CPU time, that of ended processes included."""

    result: msgspec.Raw
    wall_s: float
    cpu_s: float


class MeteredEffects:
    """Runs effects and adds up their time.

    CPU time is that of the whole process: it is exact for effects that do not give up the event loop, as runs
    in the sandbox, and includes other work while an effect waits for an endpoint.

    Attributes:
        wall_s, cpu_s: the sums so far.
    """

    def __init__(self, effects: Effects) -> None:
        self._effects = effects
        self.wall_s = 0.0
        self.cpu_s = 0.0

    async def run(
        self, step: str, request: object, kind: type[Result], effect: Callable[[], Awaitable[Result]]
    ) -> Result:
        """Return the result of an effect; see ``Effects``."""

        async def measure() -> TimedResult:
            begun, cpu_begun = time.perf_counter(), _cpu_s()
            result = msgspec.json.encode(await effect())
            return TimedResult(msgspec.Raw(result), time.perf_counter() - begun, _cpu_s() - cpu_begun)

        found = await self._effects.run(step, request, TimedResult, measure)
        self.wall_s += found.wall_s
        self.cpu_s += found.cpu_s
        return msgspec.json.decode(found.result, type=kind)


def _cpu_s() -> float:
    return sum(os.times()[:4])
