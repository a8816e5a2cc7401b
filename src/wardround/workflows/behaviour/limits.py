"""The limits of a comparison."""

from __future__ import annotations

from typing import Annotated

import msgspec

from wardround.sandbox.model import Count, Seconds


class BehaviourLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The most that recording and replaying may use.

    Attributes:
        functions: those of the change that are compared, public callers of private ones included.
        inputs: different recorded calls of one function; as many mutated ones are added.
        all_inputs: recorded and mutated calls of all functions; each has an equal share of them.
        mutated_inputs: the number of mutated ones that are added to fewer recorded ones.
        inputs_per_test: calls of one function that are recorded in one test.
        entries: functions further up the stack through which tests called the others, found while they ran.
        entries_per_function: the same, for one of the others.
        recording_cpu_s: CPU time for the records of one function.
        recording_share: the part of the CPU time of the tests so far that all records may have taken.
        tests_s: elapsed time of the tests in which calls are recorded.
        replay_s: elapsed time of the calls on one tree.
        replay_cpu_s: CPU time of the calls on one tree; each function has an equal share of it.
        seed: seed for the choice of mutations.
    """

    functions: Count = 40
    inputs: Count = 120
    all_inputs: Count = 2000
    mutated_inputs: Count = 400
    inputs_per_test: Count = 40
    entries: Count = 6
    entries_per_function: Count = 2
    recording_cpu_s: Seconds = 0.6
    recording_share: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.12
    tests_s: Seconds = 300.0
    replay_s: Seconds = 120.0
    replay_cpu_s: Seconds = 8.0
    seed: int = 20


DEFAULT_LIMITS = BehaviourLimits()


def limits_within(wall_s: float) -> BehaviourLimits:
    """Return the default limits, lowered to the configured elapsed time of a run."""
    tests_s, replay_s = min(DEFAULT_LIMITS.tests_s, wall_s), min(DEFAULT_LIMITS.replay_s, wall_s)
    return msgspec.structs.replace(DEFAULT_LIMITS, tests_s=tests_s, replay_s=replay_s)
