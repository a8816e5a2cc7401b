"""Programs of the system that a run is isolated with."""

from __future__ import annotations

import os

_FOLDERS = ("/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin")
"""Folders of the system: a program of the same name on the caller's PATH could come from the repository."""


def system_program(name: str) -> str | None:
    """Return the path of a program; None if the system does not have it."""
    paths = (os.path.join(folder, name) for folder in _FOLDERS)
    return next((path for path in paths if os.access(path, os.X_OK)), None)
