"""The validation of candidates by collected tests: blocks in forks, each plausible one in its own."""

from __future__ import annotations

import os
import signal
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .edited_functions import EditedFunctions, Unswappable
from .forks import Crash, Late, Report, cpu_s, remove_folder, values_of_fork
from .item_hooks import begin_capture, use_few_hooks
from .module_loading import import_modules
from .process_state import ProcessState, modules_of_tree
from .request import Request
from .shared_results import SharedResults
from .test_run import TestEnd, TestRunner
from .time_limit import TimeLimit, TooSlow

_BLOCK, _SMALL_BLOCK = 256, 16
_LEAST_WALL_S = 5.0
_WALL_FACTOR = 8.0
_SLOWER = 5.0
"""A test that passes can take longer than it took to fail."""
_TIMED_OUT, _CRASHED, _INVALID = "timed out", "crashed", "SyntaxError"
_ENDS = (TooSlow.__name__, _TIMED_OUT, _CRASHED, _INVALID)
"""Reasons that no state of the process explains."""
_SCRATCH = os.path.join(tempfile.gettempdir(), "wardround-candidates")


class Validation:
    """One validation of all candidates of a request.

    Attributes:
        unswappable: the candidates whose files must be imported again.
    """

    def __init__(self, request: Request, items: dict[str, Any], report: Report) -> None:
        self._request = request
        self._items = [items.get(test) for test in request.tests]
        self._report = report
        self._runner = TestRunner([item for item in self._items if item is not None])
        self._limits = list(request.limits)
        self._expected = TestEnd("failed")
        self._block_size = _BLOCK
        self._unstable: set[int] = set()
        self._stable: set[int] = set()
        self._tried: set[int] = set()
        self._plausible = 0
        self._failures: Counter[int] = Counter()
        self._late = 0
        self._crashed = 0
        self._begun_s = cpu_s()

    def run(self) -> None:
        """Validate the candidates in their order."""
        os.environ["TMPDIR"] = tempfile.tempdir = _SCRATCH
        problem = self._observe_base()
        if problem:
            self._report({"problem": problem})
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._functions = EditedFunctions(self._request)
        self._state = ProcessState(self._request.root)
        self._run_blocks(range(len(self._request.edits)), self._block_size)

    def _left_s(self) -> float:
        return self._request.budget_s - (cpu_s() - self._begun_s)

    # The tests without an edit

    def _observe_base(self) -> str:
        """Run the failing tests twice, and import what they import; return a sentence if they do not fail."""
        missing = [self._request.tests[at] for at in self._failing() if self._items[at] is None]
        if missing:
            return f"{missing[0]} is not among the collected tests"
        self._session = next(item for item in self._items if item is not None).session
        use_few_hooks(self._session)
        loaded = modules_of_tree(self._request.root)
        rows = list(values_of_fork(lambda report: self._run_base(report, loaded), self._wall_s))
        if len(rows) < 2 or not isinstance(rows[0], list):
            return f"{self._request.tests[0]} ends the process, or takes too long, without an edit"
        return self._read_base(*rows[:2])

    def _run_base(self, report: Report, loaded: set[str]) -> None:
        self._enter_fork()
        rounds = [[self._timed_run(at) for at in self._failing()] for _ in range(2)]
        report(rounds)
        report(sorted(modules_of_tree(self._request.root) - loaded))

    def _timed_run(self, at: int) -> list[object]:
        begun = time.process_time()
        end = self._runner.run(self._items[at], None)
        return [*end, time.process_time() - begun]

    def _read_base(self, rounds: list[list[list[Any]]], modules: list[str]) -> str:
        first, second = ([TestEnd(*row[:3]) for row in rows] for rows in rounds)
        for at in self._failing():
            if first[at].outcome != "failed":
                return f"{self._request.tests[at]} does not fail without an edit"
            self._limits[at] = max(self._limits[at], _SLOWER * max(rows[at][3] for rows in rounds))
        self._expected = first[0] if first[0] == second[0] else first[0]._replace(message="")
        if [end[:2] for end in first] != [end[:2] for end in second]:
            self._block_size = 1  # a test leaves something to its next run
        import_modules(modules)
        return ""

    def _failing(self) -> range:
        return range(self._request.failing)

    # Blocks

    def _run_blocks(self, candidates: Sequence[int], size: int) -> None:
        """Run candidates in blocks of a size; a crash or a timeout ends a block."""
        waiting = list(candidates)
        while waiting and self._left_s() > 0 and self._plausible < self._request.most_plausible:
            block = waiting[:size]
            waiting = waiting[len(self._run_block(block, size)) :]
            self._report({"tried": len(self._tried), "late": self._late, "crashed": self._crashed})

    def _run_block(self, block: Sequence[int], size: int) -> Sequence[int]:
        """Run one block, after a leak smaller ones, and return the candidates that were run."""
        rows, is_intact, done = self._block_rows(block)
        is_final = is_intact or size == 1
        again = [row[0] for row in rows if not is_final and row[1] == "failed" and row[3] not in _ENDS]
        for row in rows:
            if row[0] not in again:
                self._add(*row)
        if again:
            self._run_blocks(again, _SMALL_BLOCK if size > _SMALL_BLOCK else 1)
        return done

    def _block_rows(self, block: Sequence[int]) -> tuple[list[list[Any]], bool, Sequence[int]]:
        """Return the rows of a block, True if the last check found no leak, and the candidates that ran."""
        shared = SharedResults(len(block))
        left_s = self._left_s()
        ends = list(
            values_of_fork(
                lambda report: self._try_block(block, left_s, shared, report), self._wall_s, shared.begun
            )
        )
        remove_folder(_SCRATCH)
        exception = next((_exception_of(end) for end in ends if isinstance(end, (Late, Crash))), _CRASHED)
        rows: list[list[Any]] = [
            [candidate, "failed", 0, exception] if state == "begun" else [candidate, state, passed, name]
            for candidate, (state, passed, name) in zip(block, shared.rows())
        ]
        rows = rows or [[block[0], "failed", 0, _CRASHED]]  # so that each round ends with fewer candidates
        shared.close()
        return rows, False not in ends, block[: len(rows)]

    def _try_block(self, block: Sequence[int], left_s: float, shared: SharedResults, report: Report) -> None:
        self._enter_fork()
        for at, candidate in enumerate(block):
            report(None)
            shared.begin(at)
            shared.write(at, *self._try(candidate))
            self._state.restore()
            if time.process_time() > left_s:
                return
            if self._limit.is_exceeded and not self._is_intact():
                report(False)
                return
        report(self._is_intact())

    def _try(self, candidate: int) -> tuple[str, int, str]:
        """Return the outcome of the failing tests, how many passed, and the exception of the next one."""
        try:
            context = self._functions.exchange(self._request.edits[candidate])
        except Unswappable:
            return "unswappable", 0, ""
        except Exception:  # of the compiler
            return "failed", 0, _INVALID
        with context:
            passed, end = self._run_tests(list(self._failing()))
        return ("passed" if end is None else "failed"), passed, end.exception if end else ""

    def _run_tests(
        self, tests: Sequence[int], begun: Callable[[int], None] = lambda at: None
    ) -> tuple[int, TestEnd | None]:
        """Run tests up to the first that does not pass; return how many pass, and the end of that one."""
        for number, at in enumerate(tests):
            begun(at)
            following = self._items[tests[number + 1]] if number + 1 < len(tests) else None
            end = self._limited_run(at, following)
            if end.outcome != "passed":
                if following is not None:
                    self._runner.end(self._items[at])
                return number, end
        return len(tests), None

    def _limited_run(self, at: int, following: Any) -> TestEnd:
        try:
            self._limit.begin(self._limits[at])
            return self._runner.run(self._items[at], following)
        except BaseException as error:  # such as one of pytest that ends a session
            return TestEnd("failed", type(error).__name__)
        finally:
            self._limit.end()

    def _is_intact(self) -> bool:
        """Return True if the first test fails without an edit as it did before all candidates."""
        end = self._limited_run(0, None)
        if not self._expected.message:  # another one each time
            end = end._replace(message="")
        return end == self._expected

    def _enter_fork(self) -> None:
        os.makedirs(_SCRATCH, exist_ok=True)
        config = self._session.config
        factory = getattr(config, "_tmp_path_factory", None)
        if factory is not None:
            factory._basetemp = Path(_SCRATCH)
        warnings.simplefilter("ignore")  # of the compiler; a test has filters of its own
        begin_capture(config)
        self._limit = TimeLimit()

    def _wall_s(self) -> float:
        """Return the longest elapsed time of a candidate, which may wait for something without CPU time."""
        return _LEAST_WALL_S + _WALL_FACTOR * sum(self._limits[at] for at in self._failing())

    # Results

    def _add(self, candidate: int, outcome: str, passed: int, exception: str) -> None:
        self._tried.add(candidate)
        self._late += exception in (TooSlow.__name__, _TIMED_OUT)
        self._crashed += exception == _CRASHED
        if outcome == "unswappable":
            self._report({"unswappable": candidate})
        elif outcome == "passed":
            self._confirm(candidate)
        elif passed:
            self._add_result(candidate, passed, self._request.tests[passed], exception)

    def _add_result(self, candidate: int, passed: int, test: str, exception: str) -> None:
        self._plausible += not test
        self._report({"index": candidate, "failed_test": test, "passed": passed, "exception": exception})

    def _confirm(self, candidate: int) -> None:
        """Run the failing tests and then those of the function in a fork that saw no other candidate."""
        while True:
            tests = [*self._failing(), *self._tests_of(candidate)]
            passed, exception = self._alone(tests, candidate)
            if passed == len(tests):
                self._add_result(candidate, passed, "", "")
            elif passed >= self._request.failing and not self._is_stable(tests[passed]):
                continue
            elif passed:
                self._failures[tests[passed]] += 1
                self._add_result(candidate, passed, self._request.tests[tests[passed]], exception)
            return

    def _tests_of(self, candidate: int) -> list[int]:
        edit = self._request.edits[candidate]
        lines = self._functions.lines_of(edit)
        found = [] if lines is None else self._request.tests_of_lines(edit.path, *lines)
        usable = [at for at in found if self._items[at] is not None and at not in self._unstable]
        return sorted(usable, key=lambda at: (-self._failures[at], at))  # a test that failed will fail again

    def _is_stable(self, at: int) -> bool:
        """Return True if a test passes without an edit in a fork of its own; remember those that do not."""
        if at not in self._stable and at not in self._unstable:
            passed, _ = self._alone([at], None)
            (self._stable if passed else self._unstable).add(at)
            if not passed:
                self._report({"unstable": self._request.tests[at]})
        return at in self._stable

    def _alone(self, tests: Sequence[int], candidate: int | None) -> tuple[int, str]:
        """Return how many tests pass in a fork of their own, and the exception of the next one."""
        passed = -1
        for value in values_of_fork(lambda report: self._run_alone(tests, candidate, report), self._wall_s):
            if isinstance(value, int):
                passed += 1
            elif isinstance(value, list):
                remove_folder(_SCRATCH)
                return value[0], value[1]
            else:
                remove_folder(_SCRATCH)
                return max(passed, 0), _exception_of(value)
        return max(passed, 0), _CRASHED

    def _run_alone(self, tests: Sequence[int], candidate: int | None, report: Report) -> None:
        self._enter_fork()
        if candidate is None:
            passed, end = self._run_tests(tests, report)
        else:
            with self._functions.exchange(self._request.edits[candidate]):
                passed, end = self._run_tests(tests, report)
        report([passed, end.exception if end else ""])


def _exception_of(end: object) -> str:
    """Return the word for the end of a process that the parent, the kernel or its own code ended."""
    is_late = isinstance(end, Late) or (isinstance(end, Crash) and end.status & 0x7F == signal.SIGXCPU)
    return _TIMED_OUT if is_late else _CRASHED
