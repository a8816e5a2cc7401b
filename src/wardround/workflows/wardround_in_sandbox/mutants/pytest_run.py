"""One pytest run of some tests, in a separate process."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from ..pytest_scope import ONE_PROCESS, PytestScope
from ..test_ids import id_of, without_parameters
from .line_trace import LineTrace

_OPTIONS = ("-q", "--tb=no", "--color=no", "--continue-on-collection-errors")
_ONCE_EACH = {**ONE_PROCESS, "reruns": 0, "lf": False, "failedfirst": False}


def run(root: str, tests: list[str], trace: LineTrace | None) -> dict[str, Any]:
    """Run tests, without a trace up to the first failure, and return the result of each.

    Args:
        tests: ids, relative to the tree; one without parameters includes all of them.
    """
    begun = time.monotonic()
    tree = os.path.join(root, "")
    is_preloadable = not any(
        (getattr(module, "__file__", None) or "").startswith(tree)
        for name, module in sorted(sys.modules.items())
        if name != "__main__"
    )
    plugin = _Plugin(root, tests, trace)
    scope = PytestScope(root, {test.partition("::")[0] for test in tests}, _ONCE_EACH)
    if trace is not None:
        trace.start()
    status = int(pytest.main([*_OPTIONS, f"--maxfail={int(trace is None)}"], plugins=[scope, plugin]))
    sys.settrace(None)
    overhead = time.monotonic() - begun - sum(plugin.seconds.values())
    return {
        "status": status,
        "is_preloadable": is_preloadable,
        "outcomes": plugin.outcomes,
        "seconds": plugin.seconds,
        "overhead": overhead,
    }


class _Plugin:
    """Selects tests, and collects their outcomes."""

    def __init__(self, root: str, tests: list[str], trace: LineTrace | None) -> None:
        self._root = root
        self._wanted = set(tests)
        self._trace = trace
        self._test = ""
        self.outcomes: dict[str, str] = {}
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[Any]) -> Iterator[None]:
        yield
        items[:] = [item for item in items if not self._wanted.isdisjoint(self._names(item))]

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
        test, begun = id_of(item, self._root), time.monotonic()
        self.outcomes[test] = "skipped"
        self._test = test
        if self._trace is not None:
            self._trace.switch(test)
        yield
        if self._trace is not None:
            self._trace.switch("")
        self.seconds[test] = time.monotonic() - begun

    def pytest_runtest_logreport(self, report: Any) -> None:
        known = self.outcomes[self._test]
        if report.outcome == "failed":
            self.outcomes[self._test] = "failed"
        elif report.when == "call" and report.outcome == "passed" and known == "skipped":
            self.outcomes[self._test] = "passed"

    def _names(self, item: Any) -> tuple[str, str]:
        """Return the id of a test, and that without parameters."""
        test = id_of(item, self._root)
        return test, without_parameters(test)
