"""A run of unittest: discovery, selection, order, events and recording."""

from __future__ import annotations

import faulthandler
import os
import sys
import time
import traceback
import unittest
from collections.abc import Iterator
from typing import Any

from .line_recorder import LineRecorder
from .request import Events, Request, end_of, frames_of


def run(request: Request, events: Events, recorder: LineRecorder) -> int:
    """Run the tests that discovery finds, and return 0 if all passed."""
    recorder.start()
    try:
        tests = list(_flat(unittest.TestLoader().discover(os.getcwd())))
        tests += _undiscovered_tests(request, {_id(test, request).partition("::")[0] for test in tests})
        found = {_id(test, request): test for test in tests}
        for name, test in found.items():
            if type(test).__name__ == "_FailedTest":
                _report_import_error(name, test, request, events)
        chosen = [name for name, test in found.items() if type(test).__name__ != "_FailedTest"]
        chosen = sorted(filter(request.includes, chosen), key=request.position)
        events.write("collected", tests=chosen)
        suite = _Suite([found[name] for name in chosen])
        suite.context = _Context(request, events, recorder)
        result = unittest.TextTestRunner(resultclass=suite.context.result, verbosity=2).run(suite)
        return 0 if result.wasSuccessful() else 1
    finally:
        recorder.stop()


def _undiscovered_tests(request: Request, known: set[str]) -> Iterator[Any]:
    """Yield the tests of requested files that discovery does not reach, as those of a namespace package."""
    folders = [
        os.path.abspath(folder) + os.sep for folder in sys.path if os.path.abspath(folder) != request.root
    ]
    for path in request.files:
        location = os.path.join(request.root, path)
        if path in known or not path.endswith(".py") or not os.path.isfile(location):
            continue
        above = [
            folder for folder in (*folders, request.root.rstrip("/") + "/") if location.startswith(folder)
        ]
        name = location[len(max(above, key=len)) : -len(".py")].replace(os.sep, ".")
        for test in _flat(unittest.TestLoader().loadTestsFromName(name)):
            if type(test).__name__ == "_FailedTest":
                test._testMethodName = path[: -len(".py")]  # which ids of such tests are made from
            yield test


def _flat(suite: Any) -> Iterator[Any]:
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from _flat(test)
        else:
            yield test


def _id(test: Any, request: Request) -> str:
    kind = type(test)
    if kind.__name__ == "_FailedTest":
        return str(test._testMethodName).replace(".", "/") + ".py"
    module = sys.modules.get(kind.__module__)
    path = getattr(module, "__file__", None) or kind.__module__
    name = kind.__qualname__.replace(".", "::")
    return f"{request.relative(path)}::{name}::{getattr(test, '_testMethodName', 'runTest')}"


def _report_import_error(path: str, test: Any, request: Request, events: Events) -> None:
    error = getattr(test, "_exception", None)
    frames = frames_of(error.__cause__ or error, request) if error is not None else []
    events.write("uncollected", path=path, excerpt=end_of(str(error)), frames=frames)


class _Context:
    """The state of a run that its suite and its results share."""

    def __init__(self, request: Request, events: Events, recorder: LineRecorder) -> None:
        self.request = request
        self.events = events
        self.recorder = recorder
        self.begun = time.monotonic()

    def result(self, *arguments: Any, **options: Any) -> _Result:
        return _Result(self, *arguments, **options)


class _Suite(unittest.TestSuite):
    """A suite that records the set-up of a class and a module for the test that needs it first."""

    context: _Context

    def _handleModuleFixture(self, test: Any, result: Any) -> None:  # noqa: N802
        self.context.recorder.switch(_id(test, self.context.request), "setup")
        super()._handleModuleFixture(test, result)  # type: ignore[misc]
        self.context.recorder.switch("", "")

    def _handleClassSetUp(self, test: Any, result: Any) -> None:  # noqa: N802
        self.context.recorder.switch(_id(test, self.context.request), "setup")
        super()._handleClassSetUp(test, result)  # type: ignore[misc]
        self.context.recorder.switch("", "")
        if getattr(type(test), "_classSetupFailed", False) or getattr(result, "_moduleSetUpFailed", False):
            result.report_unstarted(test)


_NOT_STARTED: dict[str, Any] = {"seconds": 0.0, "is_recorded": False, "attempts": 1}


class _Result(unittest.TextTestResult):
    """Writes the result of each test as an event."""

    def __init__(self, context: _Context, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._context = context
        self._found: dict[str, Any] = {}
        self._fixture: dict[str, Any] = {}
        self._started = ""
        self._test_begun = 0.0

    def report_unstarted(self, test: Any) -> None:
        """Write the result of a test that the set-up of its class or module prevented."""
        found = {"test": _id(test, self._context.request), **_NOT_STARTED, **self._fixture}
        self._context.events.write("ended", **found)

    def startTest(self, test: Any) -> None:  # noqa: N802
        context = self._context
        elapsed = time.monotonic() - context.begun
        name = self._started = _id(test, context.request)
        context.events.write("begun", test=name, at=elapsed)
        self._found = {"test": name, "outcome": "passed", "excerpt": "", "frames": [], "attempts": 1}
        self._test_begun = time.monotonic()
        faulthandler.dump_traceback_later(context.request.test_s, exit=True)
        super().startTest(test)
        context.recorder.switch(name, "run")

    def stopTest(self, test: Any) -> None:  # noqa: N802
        recorder = self._context.recorder
        recorder.switch("", "")
        faulthandler.cancel_dump_traceback_later()
        seconds = time.monotonic() - self._test_begun
        super().stopTest(test)
        is_recorded = recorder.is_intact()
        self._context.events.write("ended", seconds=seconds, is_recorded=is_recorded, **self._found)
        self._started = ""
        recorder.save_sometimes()
        if time.monotonic() - self._context.begun > self._context.request.budget_s:
            self._context.events.write("stopped")
            self.stop()

    def _fail(self, outcome: str, error: Any) -> None:
        text = "".join(traceback.format_exception(*error))
        frames = frames_of(error[1], self._context.request)
        self._found.update(outcome=outcome, excerpt=end_of(text), frames=frames)

    def addError(self, test: Any, err: Any) -> None:  # noqa: N802
        super().addError(test, err)
        if isinstance(test, unittest.TestCase):
            self._fail("error", err)
        else:
            self._end_fixture(str(test), err)

    def _end_fixture(self, name: str, error: Any) -> None:
        """Record the error of a class or module fixture: of its set-up for all its tests, else for the last
        one.
        """
        text = "".join(traceback.format_exception(*error))
        frames = frames_of(error[1], self._context.request)
        self._fixture = {"outcome": "error", "excerpt": end_of(f"{name}\n{text}"), "frames": frames}
        if name.startswith("tearDown") and self._found:
            self._context.events.write("ended", **{**_NOT_STARTED, **self._found, **self._fixture})

    def addFailure(self, test: Any, err: Any) -> None:  # noqa: N802
        super().addFailure(test, err)
        self._fail("failed", err)

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._fail("failed", err)

    def addSkip(self, test: Any, reason: str) -> None:  # noqa: N802
        super().addSkip(test, reason)
        found = {"outcome": "skipped", "excerpt": reason, "frames": []}
        if not isinstance(test, unittest.TestCase):
            self._fixture = found
        elif self._started:
            self._found.update(found)
        else:  # Python 3.12.1 does not start it
            self._fixture = found
            self.report_unstarted(test)

    def addExpectedFailure(self, test: Any, err: Any) -> None:  # noqa: N802
        super().addExpectedFailure(test, err)
        self._found.update(outcome="skipped", excerpt="expected to fail")

    def addUnexpectedSuccess(self, test: Any) -> None:  # noqa: N802
        super().addUnexpectedSuccess(test)
        self._found.update(outcome="failed", excerpt="it is marked as expected to fail, and it passed")
