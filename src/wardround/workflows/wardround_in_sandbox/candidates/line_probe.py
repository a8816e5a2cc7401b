"""The hooks of pytest that run one test, and evaluate an expression before each run of a line."""

from __future__ import annotations

import os
import resource
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from ..test_ids import id_of, without_parameters
from .forks import Report
from .time_limit import TimeLimit, TooSlow

_MOST_VALUES = 20
_LONGEST_VALUE = 500
_EXPRESSION_S = 1.0
"""CPU seconds of one evaluation; one that takes longer is the last one."""


class LineProbe:
    """Evaluates an expression with the names of each frame that reaches a line.

    Args:
        path: the real path of the file.
        budget_s: CPU seconds of the test.
    """

    def __init__(self, path: str, line: int, expression: str, budget_s: float, report: Report) -> None:
        self._path = path
        self._budget_s = budget_s
        self._begun = time.process_time()
        self._line = line
        self._code = compile(expression, "<probe>", "eval")
        self._report = report
        self._left = _MOST_VALUES
        self._is_file: dict[str, bool] = {}
        self._limit = TimeLimit()

    def start(self) -> None:
        """Begin to trace."""
        self._begun = time.process_time()
        self._limit_test()
        threading.settrace(self._trace)
        sys.settrace(self._trace)

    def stop(self) -> None:
        """Trace no more."""
        sys.settrace(None)
        threading.settrace(None)

    def _trace(self, frame: Any, event: str, argument: Any) -> Any:
        return self._trace_line if self._left and self._is_in_file(frame.f_code.co_filename) else None

    def _is_in_file(self, name: str) -> bool:
        if name not in self._is_file:
            self._is_file[name] = os.path.realpath(name) == self._path
        return self._is_file[name]

    def _trace_line(self, frame: Any, event: str, argument: Any) -> Any:
        if event == "line" and frame.f_lineno == self._line and self._left:
            self._left -= 1
            value, error = self._evaluate({**frame.f_globals, **frame.f_locals})
            self._report({"value": value[:_LONGEST_VALUE], "is_error": error})
        return self._trace_line

    def _evaluate(self, names: dict[str, Any]) -> tuple[str, bool]:
        try:
            return self._limited_value(names)
        except TooSlow:  # once more, while memory of the expression was given back
            self._limit.end()
            self._limit_test()
            return self._end_late()

    def _limited_value(self, names: dict[str, Any]) -> tuple[str, bool]:
        self._limit.begin(_EXPRESSION_S)
        try:
            return repr(eval(self._code, names)), False  # noqa: S307  (the sandbox is for that)
        except TooSlow:
            return self._end_late()
        except BaseException as error:  # of the expression, which may raise anything
            return _text_of(error), True
        finally:
            self._limit.end()
            self._limit_test()

    def _end_late(self) -> tuple[str, bool]:
        self._left = 0
        return f"it took more than {_EXPRESSION_S:g} s", True

    def _limit_test(self) -> None:
        """Let the kernel end the process once the test used its CPU time; that of an evaluation is less."""
        most = int(self._begun + self._budget_s) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _text_of(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"
    except BaseException:  # of the code under test
        return type(error).__name__


class ProbedTest:
    """Runs one test alone, with a probe from its fixtures on."""

    def __init__(self, root: str, test: str, probe: LineProbe, report: Report) -> None:
        self._root = root
        self._test = test
        self._probe = probe
        self._report = report

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: Any) -> Iterator[None]:
        session.items[:] = [item for item in session.items if self._is_requested(item)][:1]
        yield
        self._report("end")
        os._exit(0)  # the end of the session may write into the tree

    def _is_requested(self, item: Any) -> bool:
        return self._test in (id_of(item, self._root), without_parameters(id_of(item, self._root)))

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
        self._probe.start()
        yield
        self._probe.stop()

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call" or report.outcome == "failed":
            self._report({"outcome": report.outcome})
