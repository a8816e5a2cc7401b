"""Ids of tests: ``PATH::NAME``, the path relative to the tree."""

from __future__ import annotations

import os
from typing import Any


def id_of(item: Any, root: str) -> str:
    """Return the id of a test of pytest, which has it relative to its own root folder."""
    path = path_in(root, str(getattr(item, "path", None) or item.fspath))
    return path + "::" + str(item.nodeid).partition("::")[2]


def path_in(root: str, path: str) -> str:
    """Return a path relative to the tree; an absolute one outside of it."""
    path = os.path.abspath(path)
    return os.path.relpath(path, root) if path.startswith(root.rstrip("/") + "/") else path


def without_parameters(test: str) -> str:
    """Return the id that includes all parameters of a test."""
    path, mark, name = test.partition("::")
    return path + mark + name.partition("[")[0]
