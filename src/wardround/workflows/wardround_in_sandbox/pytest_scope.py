"""A plugin of pytest that bounds a run: one process, no other recording, the files of the chosen tests."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from typing import Any

import pytest

from .test_ids import path_in

ONE_PROCESS: dict[str, Any] = {"numprocesses": None, "dist": "no", "tx": []}
"""Options of pytest-xdist, which would keep neither the order nor the recording."""


class PytestScope:
    """The hooks.

    Args:
        root: the absolute path of the tree.
        files: paths in the tree of the only files to collect; None for all.
        options: by name, those that are set if a plugin has them.
        left_out: folders in the tree that are not collected.
    """

    def __init__(
        self,
        root: str,
        files: Collection[str] | None,
        options: dict[str, Any],
        left_out: Collection[str] = (),
    ) -> None:
        self._root = root
        self._files = files
        self._options = options
        self._left_out = left_out

    @pytest.hookimpl(tryfirst=True)
    def pytest_plugin_registered(self, plugin: Any, manager: Any) -> None:
        """Accept hooks in ``conftest.py`` of a plugin that is not installed, which only that plugin calls."""
        if os.path.basename(getattr(plugin, "__file__", None) or "") != "conftest.py":
            return
        for caller in manager.get_hookcallers(plugin) or ():
            if not caller.has_spec():
                for implementation in caller.get_hookimpls():
                    implementation.optionalhook = True

    @pytest.hookimpl(hookwrapper=True)
    def pytest_load_initial_conftests(self, early_config: Any) -> Iterator[None]:
        early_config.known_args_namespace.cov_source = None  # pytest-cov would pause or replace the recording
        yield

    @pytest.hookimpl(hookwrapper=True)
    def pytest_cmdline_main(self, config: Any) -> Iterator[None]:
        for name, value in self._options.items():
            if hasattr(config.option, name):
                setattr(config.option, name, value)
        yield

    if hasattr(pytest, "version_tuple"):

        def pytest_ignore_collect(self, collection_path: Any) -> bool | None:
            return self._ignores_path(str(collection_path))

    else:  # pytest 6

        def pytest_ignore_collect(self, path: Any) -> bool | None:  # type: ignore[misc]
            return self._ignores_path(str(path))

    def _ignores_path(self, path: str) -> bool | None:
        """Return True for a file that none of the tests is in; None to leave it to others."""
        if path_in(self._root, path) in self._left_out:
            return True
        if self._files is None or not path.endswith(".py"):
            return None
        is_package = os.path.basename(path) in ("__init__.py", "conftest.py")
        return None if is_package or path_in(self._root, path) in self._files else True
