"""The run of the tests of one project: as many processes as crashes and repetitions require, within its time
limit.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec

from wardround.context.run_evidence import RunState, TestOutcome
from wardround.lazy import LazyPattern
from wardround.sandbox.model import Outcome, State
from wardround.text.failures import error_line
from wardround.text.redaction import redact_secrets
from wardround.workflows.test.recordings.shown_ids import without_parameters
from wardround.workflows.test.reports.report import OrderDependence
from wardround.workflows.test.runs import session_events as events
from wardround.workflows.test.runs.broken_folders import BrokenFolder, broken_folder
from wardround.workflows.test.runs.order_dependence import fewest
from wardround.workflows.test.runs.session import SessionRequest, SessionResult, Sessions, ending

_MOST_CRASHES = 10
"""Processes that tests may end before the rest of the tests is not run."""
_MOST_REPEATED = 200
_MOST_SUPPLIED = 20
_LEAST_S = 1.0
"""The time that is left for a further process to be worth its start."""
_MOST_TEST_S = 300.0
_FAILURES = (TestOutcome.FAILED, TestOutcome.ERROR)


class RawResult(msgspec.Struct, frozen=True):
    """The result of a test, before it is compared with the change."""

    outcome: TestOutcome
    seconds: float = 0.0
    detail: str = ""
    excerpt: str = ""
    frames: tuple[events.Frame, ...] = ()
    attempts: int = 1
    is_recorded: bool = False


class ProjectTests(msgspec.Struct, frozen=True):
    """The planned tests of a project.

    Attributes:
        tests: ids in the order of the plan.
        is_filtered: other tests of the project are excluded.
        paths: files that a person requested.
        partial: files with tests that the plan excludes.
    """

    root: str
    framework: str
    tests: tuple[str, ...]
    is_filtered: bool
    paths: tuple[str, ...] = ()
    partial: frozenset[str] = frozenset()


class ProjectResult(msgspec.Struct, frozen=True):
    """The results of the tests of a project.

    Attributes:
        results: by id, in the order of the run.
        sessions: the processes whose lines were recorded.
        detail: one sentence unless the state is ``complete``.
        unrecorded: the reason why nothing was recorded, as a clause.
        order: tests that fail after others only; empty unless requested.
        is_recorded: the functions that each test ran are known otherwise than by lines.
        left_out: folders that were not collected, as their ``conftest.py`` fails.
    """

    state: RunState
    results: Mapping[str, RawResult]
    sessions: tuple[SessionResult, ...]
    outcomes: tuple[Outcome, ...]
    detail: str = ""
    unrecorded: str = ""
    order: tuple[OrderDependence, ...] = ()
    is_recorded: bool = False
    left_out: tuple[str, ...] = ()

    @property
    def supplied(self) -> list[str]:
        """The modules that a build would write, and that these processes got instead."""
        found = (event for ran in self.sessions for event in ran.events)
        return [redact_secrets(event.text) for event in found if isinstance(event, events.Supplied)][
            :_MOST_SUPPLIED
        ]


class ProjectRunner:
    """Runs the tests of one project.

    Args:
        deadline: on the monotonic clock.
        logs: the folder for the output, in files ``test-FRAMEWORK-N.log``.
        first_log: the number of the first log.
    """

    def __init__(
        self,
        sessions: Sessions,
        tests: ProjectTests,
        deadline: float,
        logs: Path,
        first_log: int,
        *,
        is_recorded: bool,
        finds_order: bool = False,
    ) -> None:
        self._sessions = sessions
        self._tests = tests
        self._deadline = deadline
        self._logs = logs
        self._next_log = first_log
        self._is_recorded = is_recorded
        self._finds_order = finds_order
        self._order: tuple[OrderDependence, ...] = ()
        self._results: dict[str, RawResult] = {}
        self._ran: list[SessionResult] = []
        self._uncollected: list[events.Uncollected] = []
        self._excluded: set[str] = set()
        self._not_run: dict[str, str] = {}
        self._left_out: list[str] = []
        self._outcomes: list[Outcome] = []

    def result(self) -> ProjectResult:
        """Run the tests, and repeat those that fail."""
        problem = self._run_all()
        if problem is not None:
            return problem
        if not self._results and not self._not_run and self._collects_nothing():
            return self._end_run(RunState.FAILED, self._no_test_collected_problem())
        self._repeat_failures()
        if self._finds_order:
            self._order = tuple(self._orders())
        self._add_missing()
        ran = [found for found in self._results.values() if found.outcome is not TestOutcome.NOT_RUN]
        if len(ran) == len(self._results):
            return self._end_run(RunState.COMPLETE, "")
        return self._end_run(RunState.PARTIAL if ran else RunState.FAILED, self._shortfall())

    def _end_run(self, state: RunState, detail: str) -> ProjectResult:
        started = (event for ran in self._ran for event in ran.events if isinstance(event, events.Started))
        unrecorded = next((session.unrecorded for session in started), "")
        return ProjectResult(
            state, self._results, tuple(self._ran), tuple(self._outcomes), detail, unrecorded, self._order,
            left_out=tuple(self._left_out),
        )  # fmt: skip

    def _remaining_s(self) -> float:
        return self._deadline - time.monotonic()

    def _session(
        self, tests: Sequence[str], *, is_filtered: bool, is_recorded: bool, is_exact: bool = False
    ) -> SessionResult:
        left = self._remaining_s()
        request = SessionRequest(
            self._tests.framework,
            self._tests.root,
            tuple(tests),
            budget_s=max(left, _LEAST_S),
            test_s=max(min(_MOST_TEST_S, left / 2), _LEAST_S),
            is_filtered=is_filtered,
            is_recorded=is_recorded,
            is_exact=is_exact,
            paths=self._tests.paths,
            left_out=tuple(self._left_out),
        )
        log = self._logs / f"test-{self._tests.framework}-{self._next_log}.log"
        self._next_log += 1
        done = self._sessions.run(request, log)
        self._outcomes.append(done.outcome)
        return done

    def _run_all(self) -> ProjectResult | None:
        """Run every test, in a further process after each crash; return a result if none could begin."""
        tests, is_filtered = self._tests.tests, self._tests.is_filtered
        for _ in range(_MOST_CRASHES + 1):
            done = self._session(tests, is_filtered=is_filtered, is_recorded=self._is_recorded)
            refusal = self._refusal_of(done)
            if refusal is not None:
                return refusal
            collected = self._read(done)
            folder = broken_folder(done, self._tests.root, tests)
            if folder is not None and folder.path not in self._left_out:
                tests = self._exclude_folder(folder, tests)
                continue
            if collected is None:
                return None if self._results else self._end_run(RunState.FAILED, self._no_start(done))
            tests = tuple(test for test in collected if test not in self._results)
            if not tests or self._is_over() or not _has_progress(done):
                break
            is_filtered = True
        self._not_run |= dict.fromkeys(tests, self._reason_of(self._ran[-1]))
        return None

    def _refusal_of(self, done: SessionResult) -> ProjectResult | None:
        """Add a session to those that ran; return the result if it was refused or reported too much."""
        if done.outcome.state is State.REFUSED:
            return self._end_run(RunState.REFUSED, done.outcome.detail)
        self._ran.append(done)
        return self._end_run(RunState.FAILED, done.excess) if done.excess else None

    def _is_over(self) -> bool:
        return self._remaining_s() < _LEAST_S or self._event_bytes() > events.MOST_BYTES

    def _event_bytes(self) -> int:
        return sum(done.event_bytes for done in self._ran)

    def _exclude_folder(self, folder: BrokenFolder, tests: Sequence[str]) -> tuple[str, ...]:
        """Exclude a folder from further processes, and return the tests that are not in it."""
        self._left_out.append(folder.path)
        self._uncollected = [
            location for location in self._uncollected if location.path
        ]  # others are of all folders
        reason = (
            f"{folder.path}/conftest.py failed, so its folder was left out: {named_error(folder.excerpt)}"
        )
        self._not_run |= {test: reason for test in tests if folder.has(test)}
        return tuple(test for test in tests if not folder.has(test))

    def _read(self, done: SessionResult) -> tuple[str, ...] | None:
        """Read the results of a process, and return the collected tests; None if it did not collect."""
        collected: tuple[str, ...] | None = None
        current: events.Begun | None = None
        for event in done.events:
            if isinstance(event, events.Collected):
                collected = event.tests
            elif isinstance(event, events.Excluded):
                self._excluded.update(event.tests)
            elif isinstance(event, events.Uncollected):
                self._uncollected.append(event)
            elif isinstance(event, events.Begun):
                current = event
            elif isinstance(event, events.Ended):
                self._results[event.test] = _raw(event)
                current = None
        if current is not None:
            self._add_crash(current, done)
        return collected

    def _add_crash(self, current: events.Begun, done: SessionResult) -> None:
        outcome = done.outcome
        seconds = max(outcome.wall_s - current.at, 0.0)
        dump, frames = crash_dump(outcome.stderr, done.root)
        if outcome.state is State.TIMED_OUT or dump.startswith(_TIMEOUT):
            self._results[current.test] = RawResult(
                TestOutcome.NOT_RUN,
                seconds,
                self._ending_in_time(outcome, seconds),
                shorten_failure(dump),
                frames,
            )
            return
        excerpt = shorten_failure(dump or outcome.stderr or outcome.stdout)
        self._results[current.test] = RawResult(
            TestOutcome.ERROR, seconds, f"while it ran, {ending(outcome)}", excerpt, frames
        )

    def _ending_in_time(self, outcome: Outcome, seconds: float) -> str:
        if outcome.state is not State.TIMED_OUT:
            return f"it was ended after {seconds:.0f} s"
        is_over = self._remaining_s() < _LEAST_S
        return "the time budget ended while it ran" if is_over else f"while it ran, {ending(outcome)}"

    def _no_start(self, done: SessionResult) -> str:
        """Return the reason why a process did not collect tests."""
        text = _collection_error(done)
        usage, wrong = _USAGE.search(text), _WRONG_PLUGIN.search(text)
        if wrong:  # the last line has the arguments that are wrong
            arguments = redact_secrets(text.rstrip().splitlines()[-1].strip())
            first = f"{wrong[1]}: {arguments}"
        elif usage:
            first = usage[1]
        else:
            first = named_error(text or done.outcome.stdout)
        reason = f": {first}" if first else ""
        return f"{self._tests.framework} collected no tests, and {ending(done.outcome)}{reason}"

    def _reason_of(self, done: SessionResult) -> str:
        if self._remaining_s() < _LEAST_S or _stopped_at_budget(done):
            return "the time budget ended before it"
        broken = [event.excerpt for event in done.events if isinstance(event, events.Broken)]
        reason = f": {named_error(broken[-1])}" if broken else ""
        return f"it was not reached, and {ending(done.outcome)}{reason}"

    def _repeat_failures(self) -> None:
        """Run failed tests once more, on a new tree, to tell those that are flaky."""
        failed = [test for test, result in self._results.items() if result.outcome in _FAILURES][
            :_MOST_REPEATED
        ]
        if not failed or self._remaining_s() < _LEAST_S:
            return
        done = self._session(failed, is_filtered=True, is_recorded=False)
        last = {event.test: event for event in done.events if isinstance(event, events.Ended)}
        for test in failed:
            if test in last:
                self._results[test] = _repeat_result(self._results[test], last[test])
        if self._is_recorded:
            self._rerun_flaky_recorded()
        self._repeat_in_files()

    def _repeat_in_files(self) -> None:
        """Run all tests of files with tests that still fail, if the plan left some out.

        Tests of a file may change state for each other, such as options in an attribute of their class.
        """
        results = self._results.items()
        failed = {test: outcome for test, outcome in results if outcome.outcome in _FAILURES}
        files = sorted({test.partition("::")[0] for test in failed} & self._tests.partial)
        if not files or self._remaining_s() < _LEAST_S:
            return
        for event in self._session(files, is_filtered=True, is_recorded=False).events:
            if (
                isinstance(event, events.Ended)
                and event.test in failed
                and event.outcome is TestOutcome.PASSED
            ):
                attempts = failed[event.test].attempts + event.attempts
                self._results[event.test] = RawResult(
                    TestOutcome.PASSED, event.seconds, _NEEDS_OTHERS, attempts=attempts
                )

    def _rerun_flaky_recorded(self) -> None:
        """Run flaky tests with the recording again, to tell those that only the recording breaks."""
        flaky = [test for test, result in self._results.items() if result.outcome is TestOutcome.FLAKY]
        flaky = flaky[:_MOST_REPEATED]
        if not flaky or self._remaining_s() < _LEAST_S:
            return
        for event in self._session(flaky, is_filtered=True, is_recorded=True).events:
            if isinstance(event, events.Ended) and event.test in flaky and event.outcome in _FAILURES:
                self._results[event.test] = RawResult(
                    TestOutcome.PASSED, event.seconds, RECORDING_BREAKS, attempts=WITH_RECORDING
                )

    def _orders(self) -> Iterator[OrderDependence]:
        """Search for the earlier tests of each test that failed and passed when it was repeated."""
        for session in self._ran:
            ended = [event.test for event in session.events if isinstance(event, events.Ended)]
            for at, test in enumerate(ended):
                if self._remaining_s() < _LEAST_S:
                    return
                if self._results[test].outcome is TestOutcome.FLAKY:
                    found = fewest(ended[:at], partial(self._fails_after, test))
                    if found is not None:
                        yield OrderDependence(test, found)

    def _fails_after(self, test: str, before: Sequence[str]) -> bool:
        if self._remaining_s() < _LEAST_S:
            return False
        done = self._session([*before, test], is_filtered=True, is_recorded=False, is_exact=True)
        return any(
            isinstance(event, events.Ended) and event.test == test and event.outcome in _FAILURES
            for event in done.events
        )

    def _add_missing(self) -> None:
        """Add the planned tests that were not run, with the reason."""
        for test, reason in self._not_run.items():
            self._results.setdefault(test, RawResult(TestOutcome.NOT_RUN, detail=reason))
        known = {*self._results, *map(without_parameters, self._results)}
        excluded = {*self._excluded, *map(without_parameters, self._excluded)}
        for test in self._tests.tests:
            if test not in known:
                self._results[test] = self._missing_result(test, is_excluded=test in excluded)

    def _collects_nothing(self) -> bool:
        """Return True if the framework found none of the tests, and no file or setting states why."""
        is_expected = self._tests.is_filtered and self._tests.framework == "pytest"
        return bool(self._tests.tests) and not is_expected and not self._uncollected and not self._excluded

    def _no_test_collected_problem(self) -> str:
        command = "pytest --collect-only" if self._tests.framework == "pytest" else "python -m unittest -v"
        folder = f" in {self._tests.root}" if self._tests.root else ""
        return (
            f"{self._tests.framework} collected none of the {len(self._tests.tests)} tests{folder}; "
            f"check its settings with {command}"
        )

    def _missing_result(self, test: str, *, is_excluded: bool) -> RawResult:
        path = test.partition("::")[0]
        for location in self._uncollected:
            if not location.path or path == location.path or path.startswith(f"{location.path}/"):
                detail = f"it could not be collected: {named_error(location.excerpt)}"
                return RawResult(
                    TestOutcome.NOT_RUN, 0.0, detail, shorten_failure(location.excerpt), location.frames
                )
        by = "deselects it" if is_excluded else "does not collect it"
        return RawResult(
            TestOutcome.SKIPPED, detail=f"{self._tests.framework} {by} as the project configures it"
        )

    def _shortfall(self) -> str:
        missed = [result for result in self._results.values() if result.outcome is TestOutcome.NOT_RUN]
        count = "1 test was" if len(missed) == 1 else f"{len(missed)} tests were"
        return f"{count} not run: {missed[0].detail}"


def _collection_error(done: SessionResult) -> str:
    """Return the error that ended the collection, else the standard error output."""
    for kind in (events.Broken, events.Uncollected):
        found = next((event for event in done.events if isinstance(event, kind)), None)
        if found is not None:
            return found.excerpt
    return done.outcome.stderr


def _raw(item: events.Ended) -> RawResult:
    is_skipped = item.outcome is TestOutcome.SKIPPED
    return RawResult(
        item.outcome,
        item.seconds,
        shorten_failure(item.excerpt) if is_skipped else "",
        "" if is_skipped else shorten_failure(item.excerpt),
        item.frames,
        item.attempts,
        item.is_recorded and item.outcome in (TestOutcome.PASSED, TestOutcome.SKIPPED),
    )


def _repeat_result(first: RawResult, second: events.Ended) -> RawResult:
    replace = msgspec.structs.replace
    attempts = first.attempts + second.attempts
    if second.outcome is TestOutcome.PASSED:
        detail = "it failed, and passed when it was repeated"
        return replace(first, outcome=TestOutcome.FLAKY, detail=detail, attempts=attempts, is_recorded=False)
    return replace(first, attempts=attempts)


def _has_progress(done: SessionResult) -> bool:
    return any(isinstance(event, events.Begun) for event in done.events) and not _stopped_at_budget(done)


def _stopped_at_budget(done: SessionResult) -> bool:
    return any(isinstance(event, events.Stopped) for event in done.events)


_MOST_LINES = 60
_MOST_CHARACTERS = 4000


def shorten_failure(text: str) -> str:
    """Return the end of a text of a failure, without secrets."""
    end = "\n".join(text.rstrip().split("\n")[-_MOST_LINES:])
    return redact_secrets(end[-_MOST_CHARACTERS:])


def crash_dump(text: str, root: str) -> tuple[str, tuple[events.Frame, ...]]:
    """Return the beginning of the dump of a fatal error, and its frames in the tree, the innermost first."""
    at = max(text.rfind(mark) for mark in _DUMPS)
    if at < 0:
        return "", ()
    dump = text[at:].split("\n")[:_MOST_DUMP_LINES]
    found = (_DUMP_FRAME.search(line) for line in dump)
    inside = f"{root}/"
    frames = tuple(
        (match[1][len(inside) :], int(match[2])) for match in found if match and match[1].startswith(inside)
    )
    return "\n".join(dump), frames


_TIMEOUT = "Timeout ("
_DUMPS = ("Fatal Python error", _TIMEOUT)
_DUMP_FRAME = LazyPattern(r'File "([^"\n]{1,4096})", line (\d{1,7})')
_MOST_DUMP_LINES = 12
RECORDING_BREAKS = "it passes, and fails only while the functions that it runs are recorded"
_NEEDS_OTHERS = "it passes after other tests of its file, and fails without those that the plan left out"
WITH_RECORDING = 3
"""Attempts until that is known: with the recording, without it, with it again."""
_USAGE = LazyPattern(r"^[^\s:]{1,200}: error: (.{1,400})$", re.M)
_WRONG_PLUGIN = LazyPattern(r"PluginValidationError: (Plugin '[^'\n]{1,200}' for hook '\w{1,100}')$", re.M)


def named_error(text: str) -> str:
    """Return the line of a failure that names it, without secrets."""
    return redact_secrets(error_line(text))
