"""One test of pytest, run again and again without reports of its failures."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from _pytest.runner import runtestprotocol

try:
    from _pytest.warnings import catch_warnings_for_item
except ImportError:  # an old version
    catch_warnings_for_item = None  # type: ignore[assignment]

_LONGEST_MESSAGE = 300
_LONGEST_READ = 1000
_NUMBERS = re.compile(r"0x[0-9a-fA-F]+|\d+")


class TestEnd(NamedTuple):
    """The end of a run of a test.

    Attributes:
        outcome: ``passed``, ``failed`` or ``skipped``.
        exception: the name of the class of the exception that ended it.
        message: its start, without numbers, such as addresses.
    """

    outcome: str
    exception: str = ""
    message: str = ""


class TestRunner:
    """Runs collected tests in their order, with the fixtures that several of them share."""

    def __init__(self, items: Iterable[Any]) -> None:
        self._error: tuple[str, str] = ("", "")
        self._initial: dict[int, dict[str, Any]] = {}
        for item in items:
            self._initial[id(item)] = {
                name: item.__dict__.get(name) for name in ("_obj", "_instance") if name in item.__dict__
            }
            item.repr_failure = self._remember_error
            item._repr_failure_py = self._remember_error

    def _remember_error(self, excinfo: Any, style: Any = None) -> str:
        """Replace the representation of a failure, which takes longer than most tests."""
        if not self._error[0]:
            self._error = excinfo.type.__name__, _message_of(excinfo.value)
        return "failed"

    def run(self, item: Any, following: Any) -> TestEnd:
        """Run one test with fresh fixtures.

        Args:
            following: the test that runs next, whose fixtures remain; None if there is none.
        """
        self._error = ("", "")
        self._renew(item)
        outcome = "skipped"
        for report in self._reports(item, following):
            if report.outcome == "failed":
                outcome = "failed"
            elif report.when == "call" and report.outcome == "passed" and outcome == "skipped":
                outcome = "passed"
        if outcome != "failed":
            return TestEnd(outcome)
        return TestEnd(outcome, *self._error)

    def end(self, item: Any) -> None:
        """Finalize the fixtures that remain after a test that was not the last one."""
        state = item.session._setupstate
        if hasattr(state, "teardown_all"):
            state.teardown_all()
        else:
            state.teardown_exact(None)

    def _renew(self, item: Any) -> None:
        """Let the test have a new object of its class, as its first run has."""
        is_method = isinstance(getattr(item.parent, "obj", None), type)
        for name in ("_obj", "_instance"):
            if not is_method and name in self._initial[id(item)]:
                item.__dict__[name] = self._initial[id(item)][name]
            elif name in item.__dict__:
                del item.__dict__[name]

    def _reports(self, item: Any, following: Any) -> list[Any]:
        if catch_warnings_for_item is None:
            return list(runtestprotocol(item, log=False, nextitem=following))
        with catch_warnings_for_item(config=item.config, ihook=_SILENT, when="runtest", item=item):
            return list(runtestprotocol(item, log=False, nextitem=following))


class _Silent:
    """Calls of hooks that report, without an effect."""

    def __getattr__(self, name: str) -> Any:
        return self

    def __call__(self, *arguments: Any, **named: Any) -> None:
        return None


_SILENT: Any = _Silent()


def _message_of(error: BaseException) -> str:
    try:
        return _NUMBERS.sub("", str(error)[:_LONGEST_READ])[:_LONGEST_MESSAGE]
    except Exception:  # of the code under test
        return ""
