"""The comparison of the results of changed functions before and after the change."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

import msgspec

from wardround.change.diff import Change
from wardround.change.repository import Repository
from wardround.context.run_evidence import (
    BehaviourRun,
    ComparedFunction,
    NotCompared,
    RunConditions,
    RunState,
)  # fmt: skip
from wardround.errors import UsageError
from wardround.sandbox.choices import NONE
from wardround.sandbox.model import Outcome, State
from wardround.text.failures import error_line
from wardround.workflows.behaviour.callers import callers_of
from wardround.workflows.behaviour.comparison import (
    FunctionResult,
    compare_calls,
    drop_unstable,
    is_comparable,
)  # fmt: skip
from wardround.workflows.behaviour.entries import add_entries
from wardround.workflows.behaviour.limits import DEFAULT_LIMITS, BehaviourLimits
from wardround.workflows.behaviour.patterns import drop_equal_patterns, probes_of
from wardround.workflows.behaviour.printed import drop_other_output, printing_functions
from wardround.workflows.behaviour.public_callers import files_of
from wardround.workflows.behaviour.shown_differences import hidden_reason, shown_pairs
from wardround.workflows.behaviour.shown_text import observed_text
from wardround.workflows.behaviour.stages import (
    Recorded,
    RecordedEntry,
    RecordedRun,
    ReplayedRun,
    Stages,
)
from wardround.workflows.behaviour.stale_inputs import drop_stale
from wardround.workflows.behaviour.targets import Targets, blob_texts, find_targets
from wardround.workflows.behaviour.tests_to_run import chosen_tests
from wardround.workflows.environments.model import Environment
from wardround.workflows.test.plans.planning import tree_of

_SEEDS = (1, 2)
_MOST_ALONE = 30
"""The differing calls of a function that are repeated each in a process of its own."""


def compare_behaviour(
    repository: Repository,
    change: Change,
    environment: Environment,
    *,
    request: str = "",
    limits: BehaviourLimits = DEFAULT_LIMITS,
    isolation: str = "auto",
    environ: Mapping[str, str] | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> BehaviourRun:
    """Run the changed functions of base and head on the arguments that tests of the base pass to them.

    Args:
        change: between commits, or from a commit to the index.
        request: ``FILE::FUNCTION`` or ``FILE`` at the head; empty for all functions.
        isolation: as the sandbox takes it.
        environ: the caller's environment; by default, that of this process.
        progress: takes the current step.

    Raises:
        EnvironmentUnavailable: cloudpickle is not installed.
        GitError: a tree cannot be read.
        UsageError: the request names no changed function, or the isolation is none.
    """
    if isolation == NONE:
        raise UsageError("functions are compared with isolation only; choose one, or leave --sandbox out")
    others = files_of(tree_of(repository, change.base))
    targets = find_targets(change, blob_texts(repository), request, limits.functions, others)
    if request and not targets.targets and not targets.not_compared:
        raise UsageError(
            f"{request}: no changed function has this name; give FILE::FUNCTION as the table shows it"
        )
    conditions = RunConditions(RunState.COMPLETE, environment=environment.digest)
    if not targets.targets:
        return BehaviourRun(conditions, not_compared=targets.not_compared)
    environ = os.environ if environ is None else environ
    stages = Stages(repository, environment, targets.targets, limits, isolation, environ, targets.replaced)
    return _Comparison(stages, change, targets, progress).run(conditions)


class _Comparison:
    """The stages of one comparison, and the summary of their results."""

    def __init__(
        self, stages: Stages, change: Change, targets: Targets, progress: Callable[[str], None]
    ) -> None:
        self._stages = stages
        self._change = change
        self._targets = targets
        self._progress = progress

    def run(self, conditions: RunConditions) -> BehaviourRun:
        self._progress(f"running the tests of the base for {len(self._targets.targets)} functions")
        tests = chosen_tests(self._stages.repository, self._change, self._targets.targets)
        recorded = self._stages.record(self._change.base, tests)
        conditions = _add_outcome(conditions, recorded)
        if recorded.recorded is not None:
            self._add(recorded.recorded.entries)
        if not recorded.inputs:
            return self._summary(conditions, recorded, [FunctionResult()] * len(self._targets.targets))
        results, conditions = self._replay(recorded, conditions)
        return self._summary(conditions, recorded, results)

    def _add(self, entries: Sequence[RecordedEntry]) -> None:
        """Compare the functions through which the tests called the targets, too."""
        repository, change = self._stages.repository, self._change
        sides = [tree_of(repository, side).text for side in (change.base, change.head)]
        self._targets = add_entries(self._targets, entries, change, *sides)
        self._stages = msgspec.structs.replace(self._stages, targets=self._targets.targets)

    def _replay(
        self, recorded: RecordedRun, conditions: RunConditions
    ) -> tuple[Sequence[FunctionResult], RunConditions]:
        """Replay on the base and on the head; then on the base again what differs, so that noise is seen."""
        stages, (base, head) = self._stages, (self._change.base, self._change.head)
        first, second = _SEEDS
        self._progress("repeating the calls on the base")
        item = stages.replay(base, recorded, None, hash_seed=first, is_base=True)
        printing = printing_functions(item.calls)
        calls = drop_other_output(item.calls, printing)
        self._progress("repeating the calls on the head")
        only = [call.call for call in item.calls if is_comparable(call)]
        after = stages.replay(head, recorded, item, hash_seed=second, is_base=False, only=only)
        replayed = drop_other_output(after.calls, printing)
        results = compare_calls(self._targets, calls, replayed, calls)
        if differing := _numbers(results, None):
            self._progress("repeating the differing calls on the base")
            again = stages.replay(
                base, recorded, item, hash_seed=second, is_base=True, only=differing
            )  # fmt: skip
            repeated = {call.call: call for call in (*calls, *drop_other_output(again.calls, printing))}
            results = compare_calls(self._targets, calls, replayed, tuple(repeated.values()))
            results = drop_stale(self._targets.targets, results)
        if differing := _numbers(results, _MOST_ALONE):
            self._progress("repeating the differing calls alone")
            probes = probes_of(results, item.calls)
            alone = [
                stages.replay(
                    side, recorded, item, hash_seed=second, is_base=side == base, only=differing, alone=True,
                    probes=probes,
                ).calls
                for side in (base, head)
            ]  # fmt: skip
            alone = [drop_other_output(found, printing) for found in alone]
            results = drop_unstable(results, alone[0], alone[1], frozenset(differing))
            results = drop_equal_patterns(results, alone[0], alone[1])
        return results, _add_replays(conditions, item, after, len(only))

    def _summary(
        self, conditions: RunConditions, recorded: RecordedRun, results: Sequence[FunctionResult]
    ) -> BehaviourRun:
        pairs = list(shown_pairs(self._targets.targets, results))
        shown = {pair.target.key for pair in pairs}
        compared, left = [], list(self._targets.not_compared)
        for at, (target, result) in enumerate(zip(self._targets.targets, results, strict=True)):
            if not target.is_changed:
                continue
            if result.inputs:
                why = "" if target.key in shown else hidden_reason(target, result)
                compared.append(
                    ComparedFunction(target.path, target.name, result.inputs, len(result.differing), why)
                )
            else:
                reason = result.reason or _explain_missing_record(at, recorded)
                left.append(NotCompared(target.path, target.name, observed_text(reason)))
        callers = callers_of(self._stages.repository, self._change, {pair.called for pair in pairs})
        differences = [pair.difference(callers.get(pair.called, ())) for pair in pairs]
        return BehaviourRun(conditions, tuple(differences), tuple(compared), tuple(left))


def _numbers(results: Sequence[FunctionResult], most: int | None) -> list[int]:
    """Return the numbers of differing calls, of each function the first ones."""
    return [pair.head.call for result in results for pair in result.differing[:most]]


def _add_outcome(conditions: RunConditions, run: RecordedRun) -> RunConditions:
    """Return the conditions after the tests: without a started test there is nothing to compare."""
    outcome = run.outcome
    state, detail = RunState.COMPLETE, ""
    if outcome.state is State.REFUSED:
        state, detail = RunState.REFUSED, outcome.detail
    elif run.recorded is None or not run.recorded.tests:
        state, detail = RunState.FAILED, f"no test of the base could be started: {_named_error(outcome)}"
    elif outcome.state is not State.FINISHED:
        state, detail = RunState.PARTIAL, f"the tests of the base were stopped: {outcome.detail}"
    isolation = "" if state is RunState.REFUSED else outcome.backend
    return msgspec.structs.replace(conditions, state=state, isolation=isolation, detail=observed_text(detail))


def _add_replays(
    conditions: RunConditions, base: ReplayedRun, head: ReplayedRun, expected: int
) -> RunConditions:
    """Return the conditions after the calls.

    Args:
        expected: the number of calls on the head.
    """
    if _is_incomplete(base):
        return _add_incomplete_reason(conditions, base)
    if _is_incomplete(head) or len(head.calls) < expected:
        return _add_incomplete_reason(conditions, head)
    if left := sum(call.kind == "budget" for call in base.calls):
        text = f"{left} of {len(base.calls)} calls were not repeated: the limit of CPU time was reached"
        return msgspec.structs.replace(conditions, detail=conditions.detail or text)
    return conditions


def _is_incomplete(run: ReplayedRun) -> bool:
    return run.outcome.state is not State.FINISHED or bool(run.outcome.status)


def _add_incomplete_reason(conditions: RunConditions, run: ReplayedRun) -> RunConditions:
    """Return the conditions with the reason why a run did not repeat every call."""
    detail = run.outcome.detail or _named_error(run.outcome)
    unrepeated = "not every call was repeated"
    text = observed_text(f"{unrepeated}: {detail}" if detail else f"{unrepeated} in time")
    state = RunState.PARTIAL if conditions.state is RunState.COMPLETE else conditions.state
    return msgspec.structs.replace(conditions, state=state, detail=conditions.detail or text)


def _named_error(outcome: Outcome) -> str:
    """Return the line of the failure that pytest shows, or of its standard error."""
    marked = any(line.startswith("E  ") for line in outcome.stdout.splitlines())
    texts = (outcome.stdout, outcome.stderr) if marked else (outcome.stderr, outcome.stdout)
    return next(filter(None, map(error_line, texts)), outcome.detail)


def _explain_missing_calls(recorded: Recorded) -> str:
    """Return the reason for a function without calls: none is known of tests that were not collected."""
    if not recorded.uncollected:
        return "no test of the base called it"
    first, more = recorded.uncollected[0], len(recorded.uncollected) - 1
    where = f"{first.path} and {more} more" if more else first.path
    return f"no test that could be collected called it; not collected: {where}: {error_line(first.error)}"


def _explain_missing_record(at: int, run: RecordedRun) -> str:
    recorded: Recorded | None = run.recorded
    item = recorded.functions[at] if recorded is not None and at < len(recorded.functions) else None
    if recorded is None or not recorded.tests:
        return "the tests of the base could not be run"
    if item is None or not item.calls:
        return _explain_missing_calls(recorded)
    if not item.inputs:
        return f"its arguments cannot be recorded ({item.problem})"
    return "its calls were not repeated in time"
