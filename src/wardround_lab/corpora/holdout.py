"""Repositories held out for evaluation: they must not be mined or trained on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wardround.errors import UsageError

DEFAULT_FILE = "kept-for-measuring.txt"


@dataclass(frozen=True, slots=True)
class HoldoutRepositories:
    """A list of repositories, as ``owner/name`` or name only, in lower case.

    Attributes:
        origin: the file it was read from; empty if there is none.
    """

    names: frozenset[str] = frozenset()
    origin: str = ""

    def __contains__(self, repository: object) -> bool:
        complete = str(repository).lower()
        return complete in self.names or complete.rpartition("/")[2] in self.names

    @classmethod
    def read(cls, path: Path | None) -> HoldoutRepositories:
        """Read a list: one repository per line, ``#`` begins a comment.

        Without a path, ``kept-for-measuring.txt`` of the working directory is read if it exists.

        Raises:
            UsageError: the named file cannot be read.
        """
        file = path or Path(DEFAULT_FILE)
        try:
            lines = file.read_text("utf-8").splitlines()
        except FileNotFoundError as cause:
            if path is None:
                return cls()
            raise UsageError(f"{path}: no such list of repositories") from cause
        except (OSError, UnicodeDecodeError) as cause:
            raise UsageError(f"{file}: the list of repositories cannot be read; use a text file") from cause
        names = {line.partition("#")[0].strip().lower() for line in lines}
        return cls(frozenset(name for name in names if name), str(file))
