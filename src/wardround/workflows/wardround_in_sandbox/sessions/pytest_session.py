"""A run of pytest: selection, order, events and recording, as a plugin object."""

from __future__ import annotations

import faulthandler
import os
import time
from collections.abc import Generator
from typing import Any

import pytest

from ..pytest_scope import ONE_PROCESS, PytestScope
from ..test_ids import id_of
from .line_recorder import LineRecorder
from .request import Events, Request, end_of, frames_of

_OPTIONS = ("--maxfail=0", "--continue-on-collection-errors", "--tb=short", "--color=no")


def run(request: Request, events: Events, recorder: LineRecorder) -> int:
    """Run pytest and return its exit status."""
    files = request.files if request.is_filtered else None
    scope = PytestScope(request.root, files, ONE_PROCESS, request.left_out)
    plugins = [scope, _Session(request, events, recorder)]
    recorder.start()
    try:
        return int(pytest.main([*_OPTIONS, *request.paths], plugins=plugins))
    finally:
        recorder.stop()


class _Session:
    """The hooks of a run."""

    def __init__(self, request: Request, events: Events, recorder: LineRecorder) -> None:
        self._request = request
        self._events = events
        self._recorder = recorder
        self._begun = time.monotonic()
        self._stderr = os.fdopen(os.dup(2), "w")
        self._test = _Test("")
        self._frames: dict[str, list[list[object]]] = {}

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[Any]) -> Generator[None, Any, None]:
        found = {self._id(item): item for item in items}
        yield
        left = [item for item in items if self._request.includes(self._id(item))]
        items[:] = sorted(left, key=lambda item: self._request.position(self._id(item)))
        ids = {self._id(item) for item in items}
        self._events.write("collected", tests=[self._id(item) for item in items])
        excluded = [test for test in found if test not in ids and self._request.includes(test)]
        self._events.write("excluded", tests=excluded)

    def _id(self, item: Any) -> str:
        return id_of(item, self._request.root)

    def pytest_exception_interact(self, node: Any, call: Any) -> None:
        self._frames[node.nodeid] = frames_of(call.excinfo.value, self._request)

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            path = str(report.fspath)
            root = self._request.relative(os.path.join(os.getcwd(), path)) if path else ""
            self._events.write(
                "uncollected",
                path=root,
                excerpt=end_of(report.longreprtext),
                frames=self._frames.get(report.nodeid, []),
            )

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: Any) -> Generator[None, Any, None]:
        self._test = _Test(self._id(item))
        self._events.write("begun", test=self._test.id, at=self._elapsed_seconds())
        faulthandler.dump_traceback_later(self._request.test_s, exit=True, file=self._stderr)
        yield
        faulthandler.cancel_dump_traceback_later()
        self._recorder.switch("", "")
        self._test.is_recorded &= self._recorder.is_intact()
        self._events.write("ended", **self._test.values())
        self._recorder.save_sometimes()
        if self._elapsed_seconds() > self._request.budget_s:
            self._events.write("stopped")
            item.session.shouldstop = "the time budget ended"

    def _elapsed_seconds(self) -> float:
        return time.monotonic() - self._begun

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_setup(self) -> Generator[None, Any, None]:
        self._test.restart()
        self._recorder.switch(self._test.id, "setup")
        yield

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_call(self) -> Generator[None, Any, None]:
        self._recorder.switch(self._test.id, "run")
        yield

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self) -> Generator[None, Any, None]:
        self._recorder.switch(self._test.id, "teardown")
        yield

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Generator[None, Any, None]:
        outcome = yield
        if call.excinfo is not None and outcome.get_result().outcome == "failed":
            self._test.frames = frames_of(call.excinfo.value, self._request)

    def pytest_runtest_logreport(self, report: Any) -> None:
        self._test.add(report)

    def pytest_internalerror(self, excrepr: Any) -> None:
        self._events.write("broken", excerpt=end_of(str(excrepr)))


class _Test:
    """The result of the current test, from the reports of its phases."""

    def __init__(self, name: str) -> None:
        self.id = name
        self.frames: list[list[object]] = []
        self.is_recorded = True
        self._attempts = 0
        self._has_failed_before = False
        self._outcome = ""
        self._seconds = 0.0
        self._excerpt = ""

    def restart(self) -> None:
        """Begin an attempt; a plugin may repeat a test that failed."""
        self._attempts += 1
        self._has_failed_before |= self._outcome in ("failed", "error")
        self._outcome = ""

    def add(self, report: Any) -> None:
        self._seconds += report.duration
        if report.outcome in ("failed", "rerun"):
            is_in_test = report.when == "call"
            self._outcome = self._outcome or ("failed" if is_in_test else "error")
            self._excerpt = end_of(report.longreprtext)
        elif report.outcome == "skipped":
            self._outcome = self._outcome or "skipped"
            self._excerpt = "" if self._outcome != "skipped" else _skip_reason(report)
        elif report.when == "call":
            self._outcome = self._outcome or "passed"

    def values(self) -> dict[str, object]:
        is_flaky = self._outcome == "passed" and self._has_failed_before
        return {
            "test": self.id,
            "outcome": "flaky" if is_flaky else self._outcome or "error",
            "seconds": self._seconds,
            "excerpt": "" if self._outcome == "passed" and not is_flaky else self._excerpt,
            "frames": self.frames,
            "is_recorded": self.is_recorded,
            "attempts": self._attempts,
        }


def _skip_reason(report: Any) -> str:
    reason = getattr(report, "wasxfail", None)
    if reason is not None:
        return "expected to fail" + (": " + reason if reason else "")
    found = report.longrepr
    return str(found[2]) if isinstance(found, tuple) else str(found or "")
