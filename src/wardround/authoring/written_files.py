"""The folder for the results of a command, in the repository or elsewhere."""

from __future__ import annotations

from pathlib import Path

from wardround.errors import UsageError
from wardround.storage import directories
from wardround.text.escaping import one_line
from wardround.workflows.test.reports.artifacts import FOLDER, create_folder


class WrittenFiles:
    """A folder that is created; git ignores the default one.

    Args:
        root: root folder of the repository.
        folder: the requested folder; None for the default one in the repository.

    Attributes:
        folder: the folder.
        name: the same as a reader finds it.

    Raises:
        UsageError: it cannot be written, or is behind a link of the repository.
    """

    def __init__(self, root: Path, folder: Path | None) -> None:
        self.name = FOLDER if folder is None else one_line(str(folder))
        try:
            if folder is None:
                self.folder, self._root = create_folder(root), root
            else:
                folder.mkdir(parents=True, exist_ok=True)
                self.folder = self._root = folder.absolute()
        except OSError as cause:
            raise UsageError(_unwritable(self.name, cause)) from cause

    def write(self, name: str, content: str) -> None:
        """Write a file in one step, never through a link of the repository.

        Raises:
            UsageError: it cannot be written.
        """
        try:
            data = content.encode("utf-8", "backslashreplace")
            directories.replace_file(self.folder / name, data, self._root)
        except OSError as cause:
            raise UsageError(_unwritable(f"{self.name}/{name}", cause)) from cause


def _unwritable(name: str, cause: OSError) -> str:
    return f"{name} cannot be written: {cause.strerror}; make room, change its permissions, or give --out"
