"""The directory for the reports of a CI run: created for this run, so that it contains no file of the
change.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from wardround.errors import UsageError
from wardround.storage import directories
from wardround.text.escaping import one_line


class ReportDirectory:
    """A directory that was created, or found empty, for the reports of one run. Use it as a context manager.

    Attributes:
        path: for messages; files are created relative to the open directory.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor

    @classmethod
    def create(cls, path: Path | None, work_tree: Path | None, environ: Mapping[str, str]) -> Self:
        """Make the directory; without a path, one outside the repository in the runner's temporary folder.

        Raises:
            UsageError: it holds something, belongs to another user, or lies behind a link in the repository.
        """
        if path is None:
            parent = environ.get("RUNNER_TEMP") or environ.get("WORKSPACE_TMP") or None
            path = Path(tempfile.mkdtemp(prefix="wardround-reports-", dir=parent))
        path = Path(os.path.abspath(path))
        try:
            return cls(path, _fresh(path, work_tree))
        except OSError as cause:
            raise UsageError(
                f"--reports-dir {one_line(str(path))}: {cause.strerror}; give a directory that does not exist"
            ) from cause

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._descriptor)

    def write(self, name: str, text: str) -> None:
        """Create a report in the directory.

        Raises:
            UsageError: it cannot be written, or another process created it meanwhile.
        """
        try:
            directories.create_file(self._descriptor, name, text.encode("utf-8", "backslashreplace"))
        except OSError as cause:
            raise UsageError(
                f"--reports-dir: {name} cannot be created in {one_line(str(self.path))}: {cause.strerror}"
            ) from cause


def _fresh(path: Path, work_tree: Path | None) -> int:
    """Return the descriptor of an empty directory owned by this user, created if it is missing."""
    made_before = suppress(FileExistsError)  # by mktemp -d, or by an earlier run: see below
    with directories.open_directory(path.parent, work_tree, create=True) as parent, made_before:
        os.mkdir(path.name, 0o700, dir_fd=parent)
    with directories.open_directory(path, work_tree) as entered:
        directory = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=entered)
    if not os.listdir(directory) and directories.is_private(directory):
        return directory
    os.close(directory)
    raise UsageError(
        f"--reports-dir {one_line(str(path))} is not an empty directory of this user alone; "
        "give one that does not exist, so that every report in it is from this run"
    )
