"""Imports of modules of the tree: before the forks, and with the edited text of a file."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable
from contextlib import suppress
from importlib.machinery import SourceFileLoader
from typing import Any


def import_modules(names: Iterable[str]) -> None:
    """Import modules that a test imports while it runs; one that cannot be imported is left to the test."""
    for name in names:
        with suppress(BaseException):
            importlib.import_module(name)


def replace_text(file: str, text: str) -> None:
    """Let the next import of a file read another text; its bytecode is ignored."""
    read, stats = SourceFileLoader.get_data, SourceFileLoader.path_stats

    def get_data(self: Any, path: str) -> bytes:
        return text.encode() if os.path.realpath(path) == file else read(self, path)

    def path_stats(self: Any, path: str) -> Any:
        if os.path.realpath(path) == file:
            raise OSError(f"{path}: the bytecode is of another text")
        return stats(self, path)

    SourceFileLoader.get_data = get_data  # type: ignore[method-assign]
    SourceFileLoader.path_stats = path_stats  # type: ignore[method-assign]
