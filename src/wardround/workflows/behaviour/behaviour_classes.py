"""The results of the same calls on several changes of one base, to find the changes that behave alike.

Two comparisons, each of the base and one head, do not show that: each calls the functions of its own change,
with inputs near the constants in them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

import msgspec

from wardround.change.diff import Change
from wardround.change.repository import Repository
from wardround.context.run_evidence import InputOrigin
from wardround.errors import UsageError
from wardround.sandbox.choices import NONE
from wardround.storage.digest import sha256
from wardround.workflows.behaviour.comparison import is_comparable, result_key
from wardround.workflows.behaviour.entries import add_entries
from wardround.workflows.behaviour.limits import DEFAULT_LIMITS, BehaviourLimits
from wardround.workflows.behaviour.public_callers import files_of
from wardround.workflows.behaviour.stages import RecordedRun, ReplayedCall, ReplayedRun, Stages
from wardround.workflows.behaviour.targets import Target, Targets, blob_texts, find_targets
from wardround.workflows.behaviour.tests_to_run import chosen_tests
from wardround.workflows.environments.model import Environment
from wardround.workflows.test.plans.planning import tree_of

_SEEDS = (1, 2)
_BUDGET = "budget"
"""The kind of a call for which no CPU time was left."""
Calls = Mapping[int, ReplayedCall]


class BehaviourClasses(msgspec.Struct, frozen=True):
    """The changes that behave alike.

    Attributes:
        digests: of the results of each change, in their order; equal ones for changes that behave alike.
        calls: the number of compared calls; without any the digests show nothing.
    """

    digests: tuple[str, ...]
    calls: int


def behaviour_classes(
    repository: Repository,
    changes: Sequence[Change],
    environment: Environment,
    *,
    limits: BehaviourLimits = DEFAULT_LIMITS,
    isolation: str = "auto",
    environ: Mapping[str, str] | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> BehaviourClasses:
    """Run the functions that any of the changes edits, on the arguments that tests of the base pass to them.

    Args:
        changes: from the same base, at least one.
        isolation: as the sandbox takes it.
        environ: the caller's environment; by default, that of this process.
        progress: takes the current step.

    Raises:
        EnvironmentUnavailable: cloudpickle is not installed.
        GitError: a tree cannot be read.
        UsageError: the isolation is none.
    """
    if isolation == NONE:
        raise UsageError("functions are compared with isolation only; choose one, or leave --sandbox out")
    targets = _common_targets(repository, changes, limits.functions)
    if not targets.targets:
        return BehaviourClasses(("",) * len(changes), 0)
    environ = os.environ if environ is None else environ
    stages = Stages(repository, environment, targets.targets, limits, isolation, environ, targets.replaced)
    return _Replays(stages, changes, targets, progress).run()


def _common_targets(repository: Repository, changes: Sequence[Change], most: int) -> Targets:
    """Return the functions that any change edits, each with its definition at the base."""
    others = files_of(tree_of(repository, changes[0].base))
    found: dict[tuple[str, str, str], Target] = {}
    replaced: set[str] = set()
    for change in changes:
        targets = find_targets(change, blob_texts(repository), "", most, others)
        replaced |= targets.replaced
        for target in targets.targets:
            key = (target.base_path, target.base.name, target.base.role)
            known = found.get(key, target)
            found[key] = msgspec.structs.replace(
                known,
                path=target.base_path,
                head=target.base,
                constants=tuple(dict.fromkeys((*known.constants, *target.constants))),
            )
    return Targets(tuple(found.values())[:most], replaced=frozenset(replaced))


class _Replays:
    """The record of the calls at the base, and their repetitions on each head."""

    def __init__(
        self,
        stages: Stages,
        changes: Sequence[Change],
        targets: Targets,
        progress: Callable[[str], None],
    ) -> None:
        self._stages = stages
        self._changes = changes
        self._targets = targets
        self._progress = progress
        self._base = changes[0].base

    def run(self) -> BehaviourClasses:
        self._progress(f"running the tests of the base for {len(self._targets.targets)} functions")
        recorded = self._stages.record(self._base, self._tests())
        if recorded.recorded is None or not recorded.inputs:
            return BehaviourClasses(("",) * len(self._changes), 0)
        base = tree_of(self._stages.repository, self._base).text
        entries = recorded.recorded.entries
        targets = add_entries(self._targets, entries, self._changes[0], base, base)
        self._stages = msgspec.structs.replace(self._stages, targets=targets.targets)
        return self._classes(recorded)

    def _tests(self) -> tuple[str, ...]:
        """Return the tests that any change needs; none for all."""
        repository, targets = self._stages.repository, self._targets.targets
        chosen = [chosen_tests(repository, change, targets) for change in self._changes]
        return tuple(dict.fromkeys(test for tests in chosen for test in tests)) if all(chosen) else ()

    def _classes(self, recorded: RecordedRun) -> BehaviourClasses:
        self._progress("repeating the calls on the base")
        first = self._stages.replay(self._base, recorded, None, hash_seed=_SEEDS[0], is_base=True)
        comparable = [call.call for call in first.calls if _is_compared(call)]
        again = self._replay(self._base, recorded, first, comparable, is_base=True)
        stable = _equal_calls(_by_number(first.calls), again)
        heads = []
        for number, change in enumerate(self._changes, 1):
            self._progress(f"repeating the calls on head {number} of {len(self._changes)}")
            heads.append(self._replay(change.head, recorded, first, stable, is_base=False))
        return _classes_of(heads, stable)

    def _replay(
        self, side: str, recorded: RecordedRun, first: ReplayedRun, only: Sequence[int], *, is_base: bool
    ) -> Calls:
        run = self._stages.replay(side, recorded, first, hash_seed=_SEEDS[1], is_base=is_base, only=only)
        return _by_number(run.calls)


def _is_compared(call: ReplayedCall) -> bool:
    """Return True for a call with arguments of tests, those of several calls together included.

    Mutated arguments show differences outside of what the functions are for.
    """
    return is_comparable(call) and call.origin is not InputOrigin.MUTATED


def _by_number(calls: Iterable[ReplayedCall]) -> Calls:
    return {call.call: call for call in calls}


def _equal_calls(calls: Calls, again: Calls) -> list[int]:
    """Return the numbers of calls with the same result in both runs of the base."""
    return [
        number
        for number, call in sorted(calls.items())
        if number in again and result_key(call) == result_key(again[number])
    ]


def _classes_of(heads: Sequence[Calls], stable: Sequence[int]) -> BehaviourClasses:
    common = [number for number in stable if all(_has_result(head.get(number)) for head in heads)]
    return BehaviourClasses(tuple(_digest(head, common) for head in heads), len(common))


def _has_result(call: ReplayedCall | None) -> bool:
    return call is not None and call.kind != _BUDGET


def _digest(head: Calls, numbers: Sequence[int]) -> str:
    return sha256(repr([_key(head[number]) for number in numbers]).encode()).hexdigest()


def _key(call: ReplayedCall) -> Hashable:
    """Return the result of a call; of an exception that no test provoked the class is enough."""
    if call.kind == "raised" and call.origin is not InputOrigin.RECORDED:
        return call.kind, call.type
    return result_key(call)
