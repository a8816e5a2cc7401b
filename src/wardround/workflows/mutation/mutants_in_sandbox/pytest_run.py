"""One run of some tests with pytest, in a process of its own."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from .line_trace import LineTrace

_OPTIONS = ("-q", "--tb=no", "--color=no", "--continue-on-collection-errors")
_OFF: Any = (
    ("numprocesses", None), ("dist", "no"), ("tx", []), ("reruns", 0), ("lf", False), ("failedfirst", False),
)  # fmt: skip


def run(root: str, tests: list[str], trace: LineTrace | None) -> dict[str, Any]:
    """Run tests, without a trace up to the first failure, and return the result of each.

    Args:
        tests: ids, relative to the tree; one without parameters includes all of them.
    """
    begun = time.monotonic()
    tree = os.path.join(root, "")
    is_preloadable = not any(
        (getattr(one, "__file__", None) or "").startswith(tree)
        for name, one in sorted(sys.modules.items())
        if name != "__main__"
    )
    plugin = _Plugin(root, tests, trace)
    if trace is not None:
        trace.start()
    status = int(pytest.main([*_OPTIONS, f"--maxfail={int(trace is None)}"], plugins=[plugin]))
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
        self._files = {test.partition("::")[0] for test in tests}
        self._trace = trace
        self._test = ""
        self.outcomes: dict[str, str] = {}
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_load_initial_conftests(self, early_config: Any) -> Iterator[None]:
        early_config.known_args_namespace.cov_source = None  # pytest-cov would replace the trace
        yield

    @pytest.hookimpl(hookwrapper=True)
    def pytest_cmdline_main(self, config: Any) -> Iterator[None]:
        """Run tests in this process alone, in their own order, and none of them twice."""
        for name, value in _OFF:
            if hasattr(config.option, name):
                setattr(config.option, name, value)
        yield

    if hasattr(pytest, "version_tuple"):

        def pytest_ignore_collect(self, collection_path: Any) -> bool | None:
            return _ignores(str(collection_path), self._root, self._files)

    else:  # pytest 6

        def pytest_ignore_collect(self, path: Any) -> bool | None:  # type: ignore[misc]
            return _ignores(str(path), self._root, self._files)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[Any]) -> Iterator[None]:
        yield
        items[:] = [item for item in items if not self._wanted.isdisjoint(self._names(item))]

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
        test, begun = _id(item, self._root), time.monotonic()
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
        test = _id(item, self._root)
        path, mark, name = test.partition("::")
        return test, path + mark + name.partition("[")[0]


def _ignores(path: str, root: str, files: set[str]) -> bool | None:
    """Return True for a file that none of the tests is in; None to leave it to others."""
    is_package = os.path.basename(path) in ("__init__.py", "conftest.py")
    is_other = path.endswith(".py") and os.path.relpath(path, root) not in files
    return True if is_other and not is_package else None


def _id(item: Any, root: str) -> str:
    """Return the id of a test relative to the tree; pytest has it relative to its own root."""
    path = os.path.relpath(str(getattr(item, "path", None) or item.fspath), root)
    return path + "::" + str(item.nodeid).partition("::")[2]
