"""Running the checks of our own over one side of a change: what is not known yet, on all cores that are idle.

Where there is much to do, helpers are hired before the tools start: the first looks at the change as a whole,
and as soon as the tools leave cores to them they take files, too. What a helper does not answer, because it
was killed say, is looked at here.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain

import msgspec

from wardround import __version__
from wardround.change.change_source import decoded, in_any_encoding
from wardround.change.encoding import with_lower_suffix
from wardround.checks.base import Check
from wardround.checks.lazy import LazySequence, files_state, package_state
from wardround.checks.registry import CheckRegistry
from wardround.checks.source import Budget, SourceFile
from wardround.context.work_units import WorkUnit
from wardround.errors import PLUGIN_EXCEPTIONS, CannotReview, OverBudget
from wardround.execution.fork_pool import ForkedWorker, SharedTaskQueue, Worker, cpu_limit, fork_workers
from wardround.execution.model import (
    NO_CHANGE_REVIEW,
    ChangeCheckResult,
    ChangeReview,
    Results,
    ReviewSide,
    with_path,
)
from wardround.findings import PARSE_FAILURE_PREFIX, RawFinding, ToolRun, Unreviewed
from wardround.inference.api import Models, NoModels
from wardround.specialists import Specialist
from wardround.storage.digest import digest_key
from wardround.storage.result_cache import ResultCache
from wardround.tools.tool import Profile

_READERS = "wardround.languages"
"""The package of the readers that checks of all specialists use."""
_WORTH_A_FORK_BYTES = 60_000
"""A fork takes 10 ms, and both processes then load what the checks they run need; so much real code takes ten
times that."""
_BYTES_PER_HELPER = 200_000
_MOST_HELPERS = 7
_GUARDED_BYTES = 30_000
"""A file from this size on is checked by a process that can be killed. In a smaller one a check whose time
grows with the square of the size takes a second or two."""
BUDGET_S = {Profile.COMMIT: 10.0, Profile.CI: 60.0}
"""Seconds of processor time for the checks of one specialist in one file; 1 MB of SQL takes about 2."""
_CHANGE_S_PER_FILE = 0.05
"""Seconds of processor time that a file adds to the budget of the checks of the whole change."""
_FEW_FILES = 8
"""For each process: so few are shared at once, since who is busy with one cannot see that others are idle."""


def change_budget_s(profile: Profile, files: int) -> float:
    """Seconds of processor time for a specialist's checks of the whole change."""
    return BUDGET_S[profile] + _CHANGE_S_PER_FILE * files


class CheckOutcome(msgspec.Struct, frozen=True):
    """What came of the checks of one specialist in one file.

    Attributes:
        found: None if it could not be looked at.
        lasting: whether the same would be said again.
    """

    found: list[RawFinding] | None
    cacheable: bool
    unreviewed: Unreviewed | None
    seconds: float


class _Task(msgspec.Struct, frozen=True):
    """All that is to be looked at in one file, since specialists share what was read out of it.

    Attributes:
        numbers: of the units, in the order of the results.
        size: bytes to be read, not counting what any text is searched for.
    """

    numbers: tuple[int, ...]
    size: int


class _OfWhole(msgspec.Struct, frozen=True):
    """What was said of the change as a whole."""

    told: Sequence[ChangeCheckResult]


_Report = _OfWhole | _Task | tuple[int, CheckOutcome]
"""What a worker reports: a task when it begins with it, and each unit of it when that is done."""


class WorkerResult(msgspec.Struct, frozen=True):
    """What a helper found out: by number of the unit; and of the whole, if that was its part."""

    looked: dict[int, CheckOutcome]
    told: Sequence[ChangeCheckResult] | None = None


class CheckRunner:
    """The checks of our own over the units of one side. Use it as a context manager.

    Args:
        side: the side under review.
        units: what is looked at.
        cache: where what is known comes from.
        whole: the checks of the change as a whole.
        budget_s: processor time for the checks of one specialist in one file, else it is unreviewed.
    """

    def __init__(
        self,
        side: ReviewSide,
        units: Sequence[WorkUnit],
        cache: ResultCache,
        whole: ChangeReview = NO_CHANGE_REVIEW,
        budget_s: float = BUDGET_S[Profile.COMMIT],
    ) -> None:
        self._budget_s = budget_s
        self._side = side
        self._whole = whole
        self._units = [unit for unit in units if unit.specialist.checks != ()]
        self._keys = self._keyed()
        known = cache.get(one for one in self._keys if one)
        self._known = {n: known[one] for n, one in enumerate(self._keys) if one in known}
        self._own, shared = self._tasks()
        self._parallel_tasks = [task for task in shared if task.size < _GUARDED_BYTES]
        self._guarded = [task for task in shared if task.size >= _GUARDED_BYTES]
        self._queue = SharedTaskQueue(self._parallel_tasks)
        self._guarded_queue = SharedTaskQueue(self._guarded)
        self._helpers: list[ForkedWorker[WorkerResult]] = []
        self._looked: dict[int, CheckOutcome] = {}

    def __enter__(self) -> CheckRunner:
        return self

    def __exit__(self, *error: object) -> None:
        for helper in self._helpers:
            helper.kill()
        self._queue.close()
        self._guarded_queue.close()

    def start_workers(self, cores: int) -> None:
        """Fork for what other cores can do, if it is worth it; before any thread is started."""
        size = sum(task.size for task in (*self._parallel_tasks, *self._guarded))
        if size < _WORTH_A_FORK_BYTES and not self._guarded:
            return
        wanted = min(cores - 1, _MOST_HELPERS, 1 + size // _BYTES_PER_HELPER)
        wanted = max(wanted, 1) if self._guarded else wanted
        first = self._whole if self._side.desk is None else None
        self._guarded_queue.share()
        fork_workers(
            [partial(self._worker_main, None if number else first) for number in range(wanted)], self._helpers
        )
        if self._helpers and len(self._parallel_tasks) <= _FEW_FILES * (1 + len(self._helpers)):
            self._queue.share()

    def run(self, idle_cores: Callable[[], int] = lambda: 0) -> Sequence[ChangeCheckResult]:
        """Look at everything that is not known, and at the change as a whole.

        Args:
            idle_cores: how many cores nothing but helpers uses just now.
        """
        for task in self._own:
            self._do(task)
        for task in () if self._helpers else self._guarded:  # where nothing can be forked
            self._do(task)
        for task in self._queue:
            self._do(task)
            if self._helpers and not self._queue.is_shared and idle_cores():
                self._queue.share()
        self._queue.share()
        answers = [answer for helper in self._helpers if (answer := helper.answer()) is not None]
        for answer in answers:
            self._looked |= answer.looked
        for number in range(len(self._units)):  # which a helper took, and could not finish
            if number not in self._known and number not in self._looked:
                self._looked[number] = self._look(self._units[number])
        told = [answer.told for answer in answers if answer.told is not None]
        return told[0] if told else self._whole.run()

    def collect(self, results: Results) -> None:
        """Take over what was said, in the order of the units."""
        runs: dict[Specialist, list[int]] = defaultdict(list)
        for number, unit in enumerate(self._units):
            runs[unit.specialist].append(number)
        for specialist in sorted(runs, key=lambda one: one.name):
            numbers = runs[specialist]
            for number in numbers:
                self._take_over(number, results)
            looked = [self._looked[number] for number in numbers if number in self._looked]
            cached, seconds = len(numbers) - len(looked), sum(one.seconds for one in looked)
            files = cached + sum(one.found is not None for one in looked)
            results.runs.append(ToolRun(specialist.name, __version__, files, cached, seconds))

    def _take_over(self, number: int, results: Results) -> None:
        unit = self._units[number]
        looked = self._looked.get(number)
        found = self._known[number] if looked is None else looked.found
        if looked is not None and looked.unreviewed is not None:
            results.unreviewed.append(looked.unreviewed)
        if found is None:
            return
        if looked is not None and looked.cacheable and self._keys[number]:
            results.fresh[self._keys[number]] = unit.path, found
        results.by_file[unit.specialist, unit.path] = found

    # What is to be done

    def _keyed(self) -> list[bytes]:
        """Under what each unit's answer is kept; nothing where that cannot be said."""
        side = self._side
        if side.state is None:
            return [b""] * len(self._units)
        identities: dict[Specialist, str] = {}
        desk = side.desk
        # The state of the head says what the change touches; that of the base, a commit, does not.
        touched = b"" if side.name == "head" else digest_key(*sorted(side.changed))
        keys = []
        for unit in self._units:
            identity = identities.get(unit.specialist)
            if identity is None:
                identity = identities[unit.specialist] = _code_identity(unit.specialist)
            keys.append(
                digest_key("checks", __version__, identity, side.state, touched, repr(unit.options),
                    unit.path, unit.digest, unit.base_digest, "" if desk is None else desk.identity(unit),
                    "*" if unit.codes is None else " ".join(sorted(unit.codes)))
            )  # fmt: skip
        return keys

    def _tasks(self) -> tuple[list[_Task], list[_Task]]:
        """What only this process can do, since models are lent here; and what helpers may, largest first."""
        own: dict[str, list[int]] = defaultdict(list)
        shared: dict[str, list[int]] = defaultdict(list)
        for number, unit in enumerate(self._units):
            if number not in self._known:
                (own if self._asks_models(unit) else shared)[unit.path].append(number)
        return self._sized(own), sorted(self._sized(shared), key=lambda task: -task.size)

    def _sized(self, numbers: Mapping[str, Sequence[int]]) -> list[_Task]:
        found = []
        for some in numbers.values():
            units = [self._units[number] for number in some]
            size = sum(unit.size for unit in units if not unit.specialist.reviews_all_text)
            found.append(_Task(tuple(some), size))
        return found

    def _asks_models(self, unit: WorkUnit) -> bool:
        return self._side.desk is not None and unit.scored and bool(unit.specialist.models)

    # Doing it

    def _do(self, task: _Task) -> None:
        for number in task.numbers:
            self._looked[number] = self._look(self._units[number])

    def _look(self, unit: WorkUnit) -> CheckOutcome:
        """What all checks of its specialist say about a file."""
        started = time.monotonic()
        side, specialist = self._side, unit.specialist
        content = side.read(unit.path) or b""
        text = in_any_encoding(content) if specialist.reviews_all_text else decoded(content)
        checks = specialist.checks if unit.codes is None else _of_codes(specialist.checks, unit.codes)

        def run(models: Models) -> list[RawFinding]:
            source = SourceFile(
                with_lower_suffix(unit.path), text or "", partial(side.base_text, unit.path), side.project,
                unit.options,
                partial(side.is_added, unit.path), models, side.changed.__contains__,
                partial(side.added_lines, unit.path), Budget(self._budget_s),
            )  # fmt: skip
            found = specialist.run_checks(checks, source.as_added() if unit.first else source)
            return [with_path(result, unit.path) for result in found]

        try:
            found, lasting = (
                (run(NoModels()), True) if side.desk is None else side.desk.run_with_models(unit, run)
            )
            return CheckOutcome(found, lasting, None, time.monotonic() - started)
        except OverBudget:
            reason = self._over_budget
        except CannotReview as cause:
            reason = str(cause)
        except SyntaxError as cause:
            reason = f"{PARSE_FAILURE_PREFIX}: line {cause.lineno or 1}: {cause.msg}"
        except PLUGIN_EXCEPTIONS as cause:
            reason = f"a check crashed: {type(cause).__name__}: {cause}"
        return self._refused(unit, reason, time.monotonic() - started)

    @property
    def _over_budget(self) -> str:
        return f"its checks took longer than {self._budget_s:g} s"

    def _refused(self, unit: WorkUnit, reason: str, seconds: float) -> CheckOutcome:
        name = unit.specialist.name
        return CheckOutcome(None, False, Unreviewed(unit.path, name, name, reason), seconds)

    def _worker_main(self, whole: ChangeReview | None) -> WorkerResult:
        """In a helper: have a worker look at what waits until nothing does; replace one that is killed."""
        self._queue.await_tasks()
        told: list[Sequence[ChangeCheckResult]] = []
        left = self._taken_from(Worker(partial(self._work, (), whole)), told)
        while left is not None:
            left = self._taken_from(Worker(partial(self._work, left)), told)
        return WorkerResult(self._looked, told[0] if told else None)

    def _work(self, left: Sequence[int], whole: ChangeReview | None = None) -> Iterator[_Report]:
        """In a worker: look at the change as a whole if that is its part, and at what waits.

        Args:
            left: units of a file over which another worker was killed; they come first.
        """
        if whole is not None:
            with cpu_limit(whole.budget_s):
                told = whole.run()
            yield _OfWhole(told)
        first = [_Task(tuple(left), 0)] if left else []
        for task in chain(first, self._guarded_queue, self._queue):
            yield task
            for number in task.numbers:
                with cpu_limit(self._budget_s):
                    looked = self._look(self._units[number])
                yield number, looked

    def _taken_from(
        self, worker: Worker[_Report], told: list[Sequence[ChangeCheckResult]]
    ) -> list[int] | None:
        """Take over what a worker reports.

        Returns:
            What is left of the file over which it was killed, since that took too long; None if it was not.
        """
        left: list[int] | None = None
        for report in worker:
            if isinstance(report, _OfWhole):
                told.append(report.told)
            elif isinstance(report, _Task):
                left = list(report.numbers)
            else:
                number, self._looked[number] = report
                left = [one for one in left or () if one != number]
        if not worker.is_over_budget:
            return None
        if left is None:  # it had not begun with a file
            told.append(self._whole.refuse(self._whole.over_budget))
            return []
        for number in left[:1]:
            self._looked[number] = self._refused(self._units[number], self._over_budget, self._budget_s)
        return left[1:]


def _of_codes(checks: Sequence[type[Check]], codes: Collection[str]) -> Sequence[type[Check]]:
    """The checks that say these codes; all of them where it cannot be told which do."""
    found: Sequence[type[Check]]
    if isinstance(checks, CheckRegistry):
        found = checks.subset(codes)
    else:
        found = [check for check in checks if check.ID in codes]
    return found if len(found) == len(codes) else checks


def _code_identity(specialist: Specialist) -> str:
    """Return a text that changes with the code of a specialist's checks and of the readers they share."""
    if isinstance(specialist.checks, LazySequence):
        state = specialist.checks.package_state()
    else:
        modules = {sys.modules.get(check.__module__) for check in specialist.checks}
        state = files_state(sorted(m.__file__ for m in modules if m is not None and m.__file__ is not None))
    return "\n".join((specialist.name, state, package_state(_READERS)))
