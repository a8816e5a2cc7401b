"""One collection of pytest, whose tests are handed to a function instead of being run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from typing import Any

import pytest

from ..pytest_scope import ONE_PROCESS, PytestScope
from ..test_ids import id_of, without_parameters

_OPTIONS = ("-q", "--tb=short", "--color=no", "--maxfail=0", "--continue-on-collection-errors")
_IN_GIVEN_ORDER: dict[str, Any] = {
    **ONE_PROCESS,
    "reruns": 0,
    "lf": False,
    "failedfirst": False,
    "newfirst": False,
    "stepwise": False,
    "randomly_reorganize": False,
}


def collect_tests(root: str, tests: list[str], work: Callable[[dict[str, Any]], None]) -> int:
    """Collect the files of some tests, call a function with the tests in them by their ids, and return the
    status of pytest.
    """
    return run_pytest(root, tests, _Takeover(root, work), only=True)


def run_pytest(root: str, first: list[str], plugin: object, *, only: bool) -> int:
    """Run pytest with a plugin, and return its status.

    Args:
        first: ids of the tests that come first; one without parameters includes all of them.
        only: collect the files of these tests alone, and not those of the configuration.
    """
    files = {test.partition("::")[0] for test in first}
    scope = PytestScope(root, files if only else None, _IN_GIVEN_ORDER)
    paths = sorted(os.path.join(root, file) for file in files) if only else []
    return int(pytest.main([*_OPTIONS, *paths], plugins=[scope, _Order(root, first), plugin]))


class _Takeover:
    """Hands the collected tests over to a function."""

    def __init__(self, root: str, work: Callable[[dict[str, Any]], None]) -> None:
        self._root = root
        self._work = work

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: Any) -> bool:
        self._work({id_of(item, self._root): item for item in session.items})
        return True


class _Order:
    """Puts some tests first, each once, and collects their files whatever the configured names are."""

    def __init__(self, root: str, first: list[str]) -> None:
        self._root = root
        self._first = {test: at for at, test in enumerate(first)}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_cmdline_main(self, config: Any) -> Iterator[None]:
        """Add the files of the first tests, which the configured names may leave out."""
        for file in sorted({test.partition("::")[0] for test in self._first}):
            path = os.path.join(self._root, file)
            if os.path.exists(path) and not _is_collected(path, config):
                config.args.append(path)
        yield

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[Any]) -> Iterator[None]:
        yield
        found: dict[str, Any] = {}
        for item in sorted(items, key=self._place):
            found.setdefault(id_of(item, self._root), item)
        items[:] = found.values()

    def _place(self, item: Any) -> int:
        test = id_of(item, self._root)
        return self._first.get(test, self._first.get(without_parameters(test), len(self._first)))


def _is_collected(path: str, config: Any) -> bool:
    """Return True if a file is below the arguments and has a name of tests."""
    folder = str(config.invocation_params.dir)
    places = [os.path.normpath(os.path.join(folder, str(part).partition("::")[0])) for part in config.args]
    is_below = any(path == place or path.startswith(os.path.join(place, "")) for place in places)
    name = os.path.basename(path)
    return is_below and any(fnmatch(name, pattern) for pattern in config.getini("python_files"))
