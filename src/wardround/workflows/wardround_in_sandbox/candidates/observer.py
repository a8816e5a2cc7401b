"""The hooks of pytest that report each test with its failure and the lines that it ran."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

import pytest

from ..test_ids import id_of, path_in, without_parameters
from .forks import Report
from .line_coverage import LineCoverage

_LONGEST_TEXT = 4000
_LONGEST_MESSAGE = 2000
_MOST_FRAMES = 40


class Observer:
    """Runs the requested tests, and then others until the CPU time is used.

    Args:
        request: ``root``; ``tests``, the requested ones; ``budget_s``; ``is_everything``, False to run these
            alone.
        is_repetition: run the requested tests alone, without a record of lines.
    """

    def __init__(self, request: dict[str, Any], report: Report, is_repetition: bool) -> None:
        self._root: str = request["root"]
        self._requested = set(request["tests"])
        self._budget_s: float = request["budget_s"]
        self._is_everything = request["is_everything"] and not is_repetition
        self._report = report
        self._lines = None if is_repetition else LineCoverage(self._root)
        self._test: dict[str, Any] = {}
        self._begun = time.process_time()

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: Any) -> Iterator[None]:
        if not self._is_everything:
            session.items[:] = [item for item in session.items if self._is_requested(item)]
        yield
        self._report({"is_complete": not session.shouldstop})
        self._report("end")
        os._exit(0)  # the end of the session may write into the tree

    def _is_requested(self, item: Any) -> bool:
        test = id_of(item, self._root)
        return not {test, without_parameters(test), test.partition("::")[0]}.isdisjoint(self._requested)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
        is_requested = self._is_requested(item)
        self._test = {"id": id_of(item, self._root), "outcome": "skipped", "is_requested": is_requested}
        begun = time.process_time()
        if self._lines is not None:
            self._lines.start()
        yield
        lines = {} if self._lines is None else _as_bits(self._lines.stop())
        ended = time.process_time()
        self._report({**self._test, "lines": lines, "seconds": ended - begun})
        if ended - self._begun > self._budget_s:
            item.session.shouldstop = "the time ended"

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            path = path_in(self._root, os.path.join(os.getcwd(), str(report.fspath)))
            self._report({"uncollected": path, "text": str(report.longreprtext)[-_LONGEST_TEXT:]})

    def pytest_runtest_logreport(self, report: Any) -> None:
        known = self._test["outcome"]
        if report.outcome == "failed" and known not in ("failed", "error"):
            self._test["outcome"] = "failed" if report.when == "call" else "error"
        elif report.when == "call" and report.outcome == "passed" and known == "skipped":
            self._test["outcome"] = "passed"

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Iterator[None]:
        outcome: Any = yield
        report = outcome.get_result()
        if call.excinfo is not None and report.outcome == "failed" and "failure" not in self._test:
            self._test["failure"] = self._failure(call.excinfo, report)

    def _failure(self, excinfo: Any, report: Any) -> dict[str, Any]:
        return {
            "exception": excinfo.type.__name__,
            "message": _text_of(excinfo.value)[:_LONGEST_MESSAGE],
            "frames": self._frames(excinfo.value.__traceback__),
            "text": str(report.longreprtext)[-_LONGEST_TEXT:],
        }

    def _frames(self, trace: Any) -> list[list[object]]:
        found: list[list[object]] = []
        while trace is not None:
            code = trace.tb_frame.f_code
            path = path_in(self._root, code.co_filename)
            if not os.path.isabs(path):
                found.append([path, trace.tb_lineno, code.co_name])
            trace = trace.tb_next
        return found[-_MOST_FRAMES:]


def _as_bits(lines: dict[str, list[int]]) -> dict[str, str]:
    """Return the lines of each file as bits, in hexadecimal digits."""
    return {path: f"{sum(1 << line for line in found):x}" for path, found in lines.items() if found}


def _text_of(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # of the code under test
        return ""
