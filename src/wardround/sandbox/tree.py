"""The tree that a run works on: a copy of a commit or of the index, in a private folder that ends with it."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from wardround.change.repository import Repository
from wardround.change.snapshot import Snapshot, scratch_root
from wardround.change.trees import MAX_FILE_BYTES
from wardround.errors import GitError, SandboxError

_EXECUTABLE, _LINK, _SUBMODULE = "100755", "120000", "160000"
_FETCHED_AT_ONCE = 200
"""Objects requested together; their contents share the cache of the object reader."""
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class TreeEntry(msgspec.Struct, frozen=True):
    """A file, link or submodule of a tree in git."""

    path: str
    blob: str
    mode: str


class EphemeralTree:
    """A writable copy of the repository at base or head. Use it as a context manager.

    The copy is made of git objects, without the filters and hooks of the user's configuration. A run that is
    killed does not remove it; the next run or review of the same user does.

    Attributes:
        root: the folder of the copy.
        private: folders of the repository that no run may see.
    """

    def __init__(self, repository: Repository, side: str, parent: Path | None = None) -> None:
        """Make the copy.

        Args:
            side: a commit id, or ``change.diff.INDEX``.
            parent: the folder for the private one that contains the copy; by default, one for short-lived
                files.

        Raises:
            GitError: an object is missing, or a path of the tree cannot be written safely.
            SandboxError: the parent has no room for the copy.
        """
        self.private = (repository.root, repository.git_dir, repository.common_dir)
        parent = parent or scratch_root(repository.root)
        try:
            self._snapshot = Snapshot(parent)
        except OSError as cause:
            raise _no_space_error(parent, cause) from cause
        self.root = self._snapshot.folder / "tree"
        try:
            self.root.mkdir()
            _write_entries(repository, side, self.root)
        except BaseException as cause:
            self._snapshot.__exit__(None, None, None)
            if isinstance(cause, OSError):
                raise _no_space_error(parent, cause) from cause
            raise

    @property
    def home(self) -> Path:
        """An empty home, for a back end that does not make one."""
        return self._snapshot.home

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._snapshot.__exit__(kind, error, trace)

    def read(self, path: str, most_bytes: int = MAX_FILE_BYTES) -> bytes | None:
        """Return the content of a regular file that a run wrote; None if there is none, or a link in its
        path.

        A run can replace any folder by a link to a file of the user, so that no link is followed.
        """
        return read_file(self.root, path, most_bytes)


class RunFolder(msgspec.Struct, frozen=True):
    """A folder that a run gets instead of a tree of the repository, at the same path.

    Attributes:
        home: an empty home, for a back end that does not make one.
        private: folders of the repository that no run may see.
    """

    root: Path
    home: Path
    private: tuple[Path, ...]

    def read(self, path: str, most_bytes: int = MAX_FILE_BYTES) -> bytes | None:
        """Return the content of a regular file that a run wrote, as ``EphemeralTree.read`` does."""
        return read_file(self.root, path, most_bytes)


def read_file(root: Path, path: str, most_bytes: int) -> bytes | None:
    """Return the content of a regular file in a folder that a run has written; no link is followed."""
    *parents, name = path.split("/")
    if ".." in (*parents, name):
        return None
    folder = os.open(root, _FOLDER_FLAGS)
    try:
        for parent in parents:
            inner = os.open(parent, _FOLDER_FLAGS, dir_fd=folder)
            os.close(folder)
            folder = inner
        return _regular(name, folder, most_bytes)
    except OSError:
        return None
    finally:
        os.close(folder)


def _no_space_error(parent: Path, cause: OSError) -> SandboxError:
    return SandboxError(
        f"{parent}: the files of the repository cannot be copied there: {cause.strerror}; "
        "make room, or set TMPDIR to another folder"
    )


def _regular(name: str, folder: int, most_bytes: int) -> bytes | None:
    """Return the content of a regular file in an open folder; a pipe without a writer does not block."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with os.fdopen(os.open(name, flags, dir_fd=folder), "rb") as file:
        return file.read(most_bytes) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None


def _write_entries(repository: Repository, side: str, root: Path) -> None:
    """Write files first and links last, so that nothing is written through a link."""
    entries = [TreeEntry(*row) for row in repository.entries_of(side)]
    for entry in entries:
        _require_safe(entry.path)
    _write_files(repository, [entry for entry in entries if entry.mode not in (_LINK, _SUBMODULE)], root)
    for entry in entries:
        if entry.mode == _SUBMODULE:
            (root / entry.path).mkdir(parents=True, exist_ok=True)
    for entry in entries:
        if entry.mode == _LINK:
            _make_link(repository, entry, root / entry.path)


def _write_files(repository: Repository, files: Sequence[TreeEntry], root: Path) -> None:
    for start in range(0, len(files), _FETCHED_AT_ONCE):
        batch = files[start : start + _FETCHED_AT_ONCE]
        repository.blobs.fetch(entry.blob for entry in batch)
        for entry in batch:
            _write_file(repository, entry, root / entry.path)


def _require_safe(path: str) -> None:
    parts = path.split("/")
    if any(part in ("", ".", "..") or part.casefold() == ".git" for part in parts):
        raise GitError(f"the tree has the path {path!r}, which is not written; run git fsck")


def _write_file(repository: Repository, entry: TreeEntry, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    content = _blob_content(repository, entry)
    mode = 0o755 if entry.mode == _EXECUTABLE else 0o644
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(target, flags, mode), "wb") as file:
        if len(content) < MAX_FILE_BYTES:
            file.write(content)
        else:
            repository.copy_blob(entry.blob, file)


def _make_link(repository: Repository, entry: TreeEntry, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        os.symlink(os.fsdecode(_blob_content(repository, entry)), target)


def _blob_content(repository: Repository, entry: TreeEntry) -> bytes:
    content = repository.blobs.get(entry.blob)
    if content is None:
        raise GitError(f"the object of {entry.path} is not in this clone; run git fetch --refetch")
    return content
