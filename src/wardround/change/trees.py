"""The trees of a change: content by path, from the index, a revision, or a folder."""

from __future__ import annotations

import os
import subprocess
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Protocol

import msgspec

from wardround.change.git_process import GitProcess
from wardround.errors import GitError

MAX_FILE_BYTES = 16 * 1024 * 1024 + 1
"""Maximum number of bytes read of a file; a larger one is read up to this limit, which shows that it is
larger.
"""
_KEPT_BYTES = 8 * 1024 * 1024
"""Maximum number of content in memory, so that several steps read it once."""
_ASKED_AT_ONCE = 100
"""Maximum number of names written before the results are read; they must fit into a pipe."""
_FOLDER = "40000"
"""The mode of a folder in a tree of git."""


def paths_overlap(item: str, other: str) -> bool:
    """Return True if two paths are the same or one is above the other, compared case-insensitively."""
    item, other = f"{item.casefold()}/", f"{other.casefold()}/"
    return item.startswith(other) or other.startswith(item)


class Tree(Protocol):
    """The base or head of a change: content by path."""

    def read(self, path: str) -> bytes | None:
        """Return the content of a regular file, or None if the tree has none at that path."""

    def holds(self, path: str) -> bool:
        """Return True if there is anything at a path or below it, or a link or a submodule above it."""


def _fits_one_request(name: str) -> bool:
    """Return True if git reads a line with this name as that name: it drops a carriage return at the end."""
    return not ("\n" in name or "\0" in name or name.endswith("\r"))


class RecentContents:
    """The most recently read contents, so that several steps read them once; the oldest are evicted."""

    def __init__(self, limit: int = _KEPT_BYTES) -> None:
        self._kept: OrderedDict[str, bytes | None] = OrderedDict()
        self._limit = limit
        self.bytes = 0

    def __contains__(self, name: str) -> bool:
        return name in self._kept

    def get(self, name: str) -> bytes | None:
        """Return a content that ``keep`` stored."""
        self._kept.move_to_end(name)
        return self._kept[name]

    def keep(self, name: str, content: bytes | None) -> None:
        """Keep a content."""
        self._kept[name] = content
        self.bytes += len(content or b"")
        while self.bytes > self._limit and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            self.bytes -= len(dropped or b"")


class Blobs:
    """One ``git cat-file --batch`` process that returns objects on request."""

    def __init__(self, git: GitProcess) -> None:
        self._git = git
        self._start()
        self._lock = threading.RLock()  # tools' output is read in threads, and those request contents too
        self._recent = RecentContents()
        self._folders: dict[str, tuple[int, bytes]] = {}

    def _start(self) -> None:
        self._owner = os.getpid()
        self._process = subprocess.Popen(
            self._git.argv("cat-file", "--batch"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self._git.env,
            cwd=self._git.folder,
            start_new_session=True,
        )

    def get(self, name: str) -> bytes | None:
        """Return the content of the blob that an object name denotes; None if it does not exist or is not a
        blob.
        """
        if not _fits_one_request(name):
            return None
        with self._lock:
            if name not in self._recent:
                self._recent.keep(name, self._read(name))
            return self._recent.get(name)

    def _read(self, name: str) -> bytes | None:
        try:
            self._ask([name])
            return self._answer(name)[1]
        except GitError:
            self._restart()
            if ":" in name:
                raise
            return None  # git exits over an object that a partial clone lacks

    def modes(self, name: str) -> dict[str, str]:
        """Return the names in the tree that an object name denotes, with their modes; none if it is not a
        tree.
        """
        length, left = self._folder(name)
        found = {}
        while left:
            mode, _, left = left.partition(b" ")
            entry, _, left = left.partition(b"\0")
            left = left[length:]
            found[os.fsdecode(entry)] = mode.decode()
        return found

    def lacks(self, name: str, entry: str) -> bool:
        """Return True if the tree that an object name denotes, or nothing, has no entry of this name.

        The ids in the tree may look like the entry: then the result is False, and its content decides.
        """
        content = self._folder(name)[1]
        return len(content) < MAX_FILE_BYTES and b" %b\0" % os.fsencode(entry) not in content

    def _folder(self, name: str) -> tuple[int, bytes]:
        """Return the bytes of an object id, and the tree that an object name denotes; empty if it is not a
        tree.
        """
        if not _fits_one_request(name):
            return 0, b""
        with self._lock:
            if name not in self._folders:
                try:
                    self._ask([name])
                    identity, content = self._answer(name, b"tree")
                except GitError:
                    self._restart()
                    raise
                self._folders[name] = len(identity or "") // 2, content or b""
            return self._folders[name]

    def _restart(self) -> None:
        self.close()
        self._start()

    def fetch(self, names: Iterable[str]) -> None:
        """Read many objects at once for later calls of ``get``, as far as memory permits."""
        expected = [
            name for name in dict.fromkeys(names) if name not in self._recent and _fits_one_request(name)
        ]
        for start in range(0, len(expected), _ASKED_AT_ONCE):
            if self._recent.bytes > _KEPT_BYTES // 2:
                return
            some = expected[start : start + _ASKED_AT_ONCE]
            with self._lock:
                try:
                    self._ask(some)
                    requested = self._process
                    for name in some:
                        if self._process is requested:
                            self._recent.keep(name, self._answer(name)[1])
                except GitError:  # ``get`` finds out which object it was
                    self._restart()
                    return

    def commit(self, name: str) -> str | None:
        """Return the id of the commit that a name denotes."""
        spec = f"{name}^{{commit}}"
        if not _fits_one_request(name):
            return None
        with self._lock:
            self._ask([spec])
            return self._answer(spec)[0]

    def parents(self, commit: str) -> list[str]:
        """Return the ids of the parents of a commit, as the commit itself names them."""
        with self._lock:
            self._ask([commit])
            content = self._answer(commit, b"commit")[1] or b""
        header = content.partition(b"\n\n")[0].decode("latin-1").split("\n")
        return [line.removeprefix("parent ") for line in header if line.startswith("parent ")]

    def _ask(self, names: Sequence[str]) -> None:
        stdin, _ = self._streams()
        try:
            stdin.write(b"".join(os.fsencode(name) + b"\n" for name in names))
            stdin.flush()
        except OSError as cause:
            raise GitError(f"git stopped while {names[0]!r} was read: {cause}; run git fsck") from cause

    def _answer(self, name: str, kind: bytes = b"blob") -> tuple[str | None, bytes | None]:
        """Return an object's id, and its content if it is of this kind."""
        _, stdout = self._streams()
        header = stdout.readline().split()
        if not header:
            raise GitError(f"git stopped while {name!r} was read; run git fsck")
        if len(header) < 3 or not header[-1].isdigit():
            return None, None
        size = min(int(header[-1]), MAX_FILE_BYTES)
        content = stdout.read(size)
        if len(content) < size:
            raise GitError(f"git stopped while {name!r} was read; run git fsck")
        if size < MAX_FILE_BYTES:
            stdout.read(1)
        else:  # the rest is not worth waiting for
            self._process.kill()
            self._restart()
        return header[0].decode(), content if header[-2] == kind else None

    def _streams(self) -> tuple[IO[bytes], IO[bytes]]:
        if self._owner != os.getpid():  # a fork needs a process of its own
            self._start()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        return self._process.stdin, self._process.stdout

    def close(self) -> None:
        for stream in self._streams():
            with suppress(OSError):
                stream.close()
        self._process.wait()


class BlobTree(msgspec.Struct, frozen=True):
    """The index (prefix ``:``), or a revision (prefix ``<commit>:``)."""

    prefix: str
    blobs: Blobs

    def read(self, path: str) -> bytes | None:
        return None if self._is_absent(path) else self.blobs.get(self.prefix + path)

    def _is_absent(self, path: str) -> bool:
        """Return True if the folder of a path in a revision does not list it; the index has no folders.

        The folder is read once, while git would search it for every name that a tool's settings can have.
        """
        folder, _, name = path.rpartition("/")
        if self.prefix == ":" or name in ("", ".", ".."):
            return False
        try:
            return self.blobs.lacks(self.prefix + folder, name)
        except GitError:
            return False

    def holds(self, path: str) -> bool:
        folder = self.prefix
        for name in path.split("/"):
            mode = self.blobs.modes(folder).get(name)
            if mode != _FOLDER:
                return mode is not None
            folder = f"{folder}{'' if folder == self.prefix else '/'}{name}"
        return True


class FolderTree(msgspec.Struct, frozen=True):
    """The files of a folder on disk; links that leave it are not followed."""

    root: Path

    def read(self, path: str) -> bytes | None:
        try:
            target = self.root / path
            inside = target.resolve().parent == self.root.resolve() / Path(path).parent
            if not inside or target.is_symlink():
                return None
            with target.open("rb") as file:
                return file.read(MAX_FILE_BYTES)
        except OSError:
            return None

    def holds(self, path: str) -> bool:
        return os.path.lexists(self.root / path)


class WorkTree(msgspec.Struct, frozen=True):
    """The files on disk, and from the index the files that git assumes to be unchanged.

    Attributes:
        unchanged: returns the paths of these files.
    """

    disk: FolderTree
    index: Tree
    unchanged: Callable[[], Collection[str]]

    def read(self, path: str) -> bytes | None:
        return self.index.read(path) if path in self.unchanged() else self.disk.read(path)

    def holds(self, path: str) -> bool:
        below = f"{path}/"
        return self.disk.holds(path) or any(
            f"{unchanged}/".startswith(below) for unchanged in self.unchanged()
        )


class EmptyTree(msgspec.Struct, frozen=True):
    """The tree before the first commit."""

    def read(self, path: str) -> bytes | None:
        return None

    def holds(self, path: str) -> bool:
        return False
