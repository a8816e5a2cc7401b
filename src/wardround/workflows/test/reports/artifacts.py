"""The folder of a repository with the report and the output of a run of tests."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from wardround.errors import UsageError
from wardround.storage import directories
from wardround.text.escaping import one_line

FOLDER = "artifacts/wardround"
REPORT = "test-report.json"
_IGNORED = b"*\n"


class Artifacts:
    """The folder for one run, created, or emptied of the report and the logs of the previous run.

    Args:
        root: root folder of the repository; the folder is in it, and git ignores it.

    Attributes:
        folder: the folder.
        name: name of the report, relative to the repository.

    Raises:
        UsageError: it cannot be written, or is behind a link of the repository.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self.name = f"{FOLDER}/{REPORT}"
        self.folder = root / FOLDER
        try:
            create_folder(root)
            with directories.open_directory(self.folder, root) as entered:
                _remove_results(entered)
        except OSError as cause:
            raise UsageError(_unwritable(self.folder, cause)) from cause

    def write_report(self, content: str) -> None:
        """Write the report in one step.

        Raises:
            UsageError: it cannot be written.
        """
        self.write(self.folder / REPORT, content)

    def write(self, path: Path, content: str) -> None:
        """Write a file in one step, never through a link of the repository.

        Raises:
            UsageError: it cannot be written.
        """
        try:
            directories.replace_file(path, content.encode("utf-8", "backslashreplace"), self._root)
        except OSError as cause:
            raise UsageError(_unwritable(path, cause)) from cause


def create_folder(root: Path) -> Path:
    """Create the folder, which git ignores, and return it.

    Raises:
        OSError: it cannot be written, or is behind a link of the repository.
    """
    folder = root / FOLDER
    with directories.open_directory(folder, root, create=True):
        pass
    directories.write_file(folder / ".gitignore", _IGNORED, root)
    return folder


def _unwritable(path: Path, cause: OSError) -> str:
    return f"{one_line(str(path))} cannot be written: {cause.strerror}; make room or change its permissions"


def _remove_results(folder: int) -> None:
    """Remove the results of an earlier run from an open folder."""
    listed = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
    try:
        for name in os.listdir(listed):
            if name == REPORT or (name.startswith("test-") and name.endswith(".log")):
                with suppress(OSError):
                    os.unlink(name, dir_fd=listed)
    finally:
        os.close(listed)
