"""Runs wardround's uncached checks over the base or head of a change, by an executor."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from wardround import __version__
from wardround.assignment.work_units import WorkUnit
from wardround.execution.check_keys import check_keys
from wardround.execution.executor import Executor, Step, Submission, WorkItem, run_steps
from wardround.execution.file_checks import CANCELLED, CheckOutcome, FileChecks, refused_outcome
from wardround.execution.model import NO_CHANGE_REVIEW, ChangeCheckResult, ChangeReview, Results
from wardround.execution.review_side import ReviewSide
from wardround.findings import ToolRun
from wardround.specialists import Specialist
from wardround.storage.result_cache import ResultCache
from wardround.tools.tool import Profile

BUDGET_S = {Profile.COMMIT: 10.0, Profile.CI: 60.0}
"""Seconds of processor time for the checks of one specialist in one file; 1 MB of SQL takes about 2."""
_CHANGE_S_PER_FILE = 0.05
"""Seconds of processor time that a file adds to the budget of the change-level checks."""
_CHANGE = -1
"""The key of the change-level checks among those of the units."""

Outcome = CheckOutcome | tuple[ChangeCheckResult, ...]


def change_budget_s(profile: Profile, files: int) -> float:
    """Seconds of processor time for a specialist's change-level checks."""
    return BUDGET_S[profile] + _CHANGE_S_PER_FILE * files


class CheckRunner:
    """The own checks over the units at base or head. Use it as a context manager.

    Args:
        cache: the source of known results.
        change_review: the change-level checks.
        budget_s: processor time for the checks of one specialist in one file, which is unreviewed beyond it.
        is_cancelled: no check is begun once it is true.
    """

    def __init__(
        self,
        side: ReviewSide,
        units: Sequence[WorkUnit],
        cache: ResultCache,
        change_review: ChangeReview = NO_CHANGE_REVIEW,
        budget_s: float = BUDGET_S[Profile.COMMIT],
        is_cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        self._side = side
        self._checks = FileChecks(side, budget_s)
        self._change_review = change_review
        self._is_cancelled = is_cancelled
        self._units = [unit for unit in units if unit.specialist.checks != ()]
        self._keys = check_keys(side, self._units)
        known = cache.get(key for key in self._keys if key)
        self._known = {n: known[key] for n, key in enumerate(self._keys) if key in known}
        self._submission: Submission[Outcome] | None = None
        self._outcomes: dict[int, CheckOutcome] = {}

    def __enter__(self) -> CheckRunner:
        return self

    def __exit__(self, *error: object) -> None:
        if self._submission is not None:
            self._submission.cancel()

    def submit(self, executor: Executor, cores: int) -> None:
        """Pass the work to an executor, except units that use models; call it before starting any thread."""
        items = self._items(number for number in self._pending_units() if not self._uses_models(number))
        items = sorted(items, key=lambda item: -item.size)
        background = self._change_item() if self._side.models is None else None
        self._submission = executor.submit(items, background, cores, self._is_cancelled)

    def run(self, idle_cores: Callable[[], int] = lambda: 0) -> Sequence[ChangeCheckResult]:
        """Run every check that has no known result, and the change-level checks, whose results are returned.

        Args:
            idle_cores: the number of cores that nothing but the executor uses at the time of the call.
        """
        outcomes: dict[int, Outcome] = {}
        local = self._items(number for number in self._pending_units() if self._uses_models(number))
        run_steps((step for item in local for step in item.steps), outcomes, self._is_cancelled)
        if self._submission is not None:
            outcomes |= self._submission.collect(idle_cores)
        for number in self._pending_units():
            outcome = outcomes.get(number)
            if not isinstance(outcome, CheckOutcome):
                outcome = refused_outcome(self._units[number], CANCELLED)
            self._outcomes[number] = outcome
        results = outcomes.get(_CHANGE)
        if isinstance(results, tuple):
            return results
        return self._change_review.refuse(CANCELLED) if self._is_cancelled() else self._change_review.run()

    def collect(self, results: Results) -> None:
        """Add the outcomes to the results, in the order of the units."""
        numbers_of: dict[Specialist, list[int]] = defaultdict(list)
        for number, unit in enumerate(self._units):
            numbers_of[unit.specialist].append(number)
        for specialist in sorted(numbers_of, key=lambda specialist: specialist.name):
            numbers = numbers_of[specialist]
            for number in numbers:
                self._add(number, results)
            outcomes = [self._outcomes[number] for number in numbers if number in self._outcomes]
            cached, seconds = len(numbers) - len(outcomes), sum(outcome.seconds for outcome in outcomes)
            files = cached + sum(outcome.findings is not None for outcome in outcomes)
            results.runs.append(ToolRun(specialist.name, __version__, files, cached, seconds))

    def _add(self, number: int, results: Results) -> None:
        unit = self._units[number]
        outcome = self._outcomes.get(number)
        findings = self._known[number] if outcome is None else outcome.findings
        if outcome is not None:
            results.unreviewed.extend(outcome.unreviewed)
        if findings is None:
            return
        if outcome is not None and outcome.cacheable and self._keys[number]:
            results.fresh[self._keys[number]] = unit.path, findings
        results.by_file[unit.specialist, unit.path] = findings

    def _pending_units(self) -> Iterable[int]:
        """Return the numbers of the units without a known result."""
        return (number for number in range(len(self._units)) if number not in self._known)

    def _uses_models(self, number: int) -> bool:
        """Return True if a unit needs the models, which are in this process."""
        unit = self._units[number]
        return self._side.models is not None and unit.scored and bool(unit.specialist.models)

    def _items(self, numbers: Iterable[int]) -> list[WorkItem[Outcome]]:
        """Return one item for each file, since specialists share its parsed form."""
        by_path: dict[str, list[int]] = defaultdict(list)
        for number in numbers:
            by_path[self._units[number].path].append(number)
        return [self._item(numbers) for numbers in by_path.values()]

    def _item(self, numbers: Sequence[int]) -> WorkItem[Outcome]:
        units = [self._units[number] for number in numbers]
        size = sum(unit.size for unit in units if not unit.specialist.reviews_all_text)
        return WorkItem(tuple(map(self._step, numbers)), size)

    def _step(self, number: int) -> Step[Outcome]:
        unit, budget_s = self._units[number], self._checks.budget_s
        refuse = partial(self._checks.over_budget, unit, budget_s)
        return Step(number, partial(self._checks.run, unit), refuse, budget_s)

    def _change_item(self) -> WorkItem[Outcome]:
        review = self._change_review
        step: Step[Outcome] = Step(
            _CHANGE,
            lambda: tuple(review.run()),
            lambda: tuple(review.refuse(review.over_budget)),
            review.budget_s,
        )
        return WorkItem((step,))
