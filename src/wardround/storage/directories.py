"""Directories opened one component at a time, so that no link committed to a work tree is followed.

A link outside the work tree is the user's own (``/tmp`` on macOS, a runner's data disk) and is followed; a
link inside it may come from the change under review, and is rejected. Each component is opened relative to
the one before, so that no component can be exchanged for a link between the check and the use.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from wardround.errors import UsageError

_PASS_THROUGH = getattr(os, "O_PATH", os.O_RDONLY)
"""With O_PATH, a folder that may be entered need not be readable too."""
_OPEN_DIRECTORY = _PASS_THROUGH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OPEN_FILE = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC
_MOST_LINKS = 40
"""Links followed in one path before it counts as a loop, as in Linux itself."""
_DEVICES = Path("/dev")
_PROCESSES = Path("/proc")
"""Links there, as ``/dev/stdout``, are open files, whose targets cannot be opened by name; ``/dev/shm`` is an
ordinary directory."""


class LinkRefusedError(UsageError):
    """A path leads through a symbolic link inside the repository under review."""


class _Position:
    """An open directory and its real path."""

    def __init__(self) -> None:
        self._move_to_top()

    def _move_to_top(self) -> None:
        self.path = Path("/")
        self.descriptor = os.open("/", _OPEN_DIRECTORY)

    def move(self, name: str) -> None:
        """Enter a directory that is not a link; accepts ``..`` and ``/``."""
        before = self.descriptor
        if name == "/":
            self._move_to_top()
        else:
            self.descriptor = os.open(name, _OPEN_DIRECTORY, dir_fd=before)
            self.path = self.path.parent if name == ".." else self.path / name
        os.close(before)

    def link(self, name: str) -> str | None:
        """Return the target of a link; None for anything else and for a missing file."""
        try:
            return os.readlink(name, dir_fd=self.descriptor)
        except OSError as cause:
            if cause.errno in (errno.EINVAL, errno.ENOENT):
                return None
            raise

    def is_in(self, folder: Path | None) -> bool:
        return folder is not None and self.path.is_relative_to(folder)


@contextmanager
def open_directory(path: Path, work_tree: Path | None, *, create: bool = False) -> Iterator[int]:
    """The descriptor of a directory, reached without following a link inside the work tree.

    It is for opening the entries of the directory, which may not be readable itself.

    Args:
        create: make the directories that are missing.

    Raises:
        LinkRefusedError: a component inside the work tree is a link.
        OSError: it is not there, or not a directory.
    """
    position = _Position()
    try:
        _enter(position, Path(os.path.abspath(path)).parts, _real(work_tree), create=create)
        yield position.descriptor
    finally:
        os.close(position.descriptor)


def write_file(path: Path, content: bytes, work_tree: Path | None) -> None:
    """Write a file, replacing its content; missing parent directories are created.

    Raises:
        LinkRefusedError: the file, or a directory above it, is a link inside the work tree.
        OSError: it cannot be written.
    """
    path, inside = Path(os.path.abspath(path)), _real(work_tree)
    position = _Position()
    try:
        name = _enter_parent(position, path, inside)
        flags = os.O_TRUNC | (os.O_NOFOLLOW if position.is_in(inside) else 0)
        with open(os.open(name, _OPEN_FILE | flags, 0o666, dir_fd=position.descriptor), "wb") as file:
            file.write(content)
    finally:
        os.close(position.descriptor)


def replace_file(path: Path, content: bytes, work_tree: Path | None) -> None:
    """Write a file atomically: it has the new content or the old; missing parent directories are created.

    Raises:
        LinkRefusedError: the file, or a directory above it, is a link inside the work tree.
        OSError: it cannot be written; no temporary file remains.
    """
    path, inside = Path(os.path.abspath(path)), _real(work_tree)
    position = _Position()
    try:
        name = _enter_parent(position, path, inside)
        temporary = f"{name}.{os.getpid()}.tmp"
        try:
            create_file(position.descriptor, temporary, content, mode=0o666)
            os.replace(temporary, name, src_dir_fd=position.descriptor, dst_dir_fd=position.descriptor)
        finally:
            with suppress(OSError):
                os.unlink(temporary, dir_fd=position.descriptor)
    finally:
        os.close(position.descriptor)


def create_file(directory: int, name: str, content: bytes, *, mode: int = 0o600) -> None:
    """Create a file in an open directory.

    Raises:
        FileExistsError: something has that name already, be it a link to nowhere.
    """
    descriptor = os.open(name, _OPEN_FILE | os.O_EXCL | os.O_NOFOLLOW, mode, dir_fd=directory)
    with open(descriptor, "wb") as file:
        file.write(content)


def _real(work_tree: Path | None) -> Path | None:
    return None if work_tree is None else Path(os.path.realpath(work_tree))


def _enter(position: _Position, parts: tuple[str, ...], work_tree: Path | None, *, create: bool) -> None:
    pending, links = list(reversed(parts)), 0
    while pending:
        name = pending.pop()
        target = None if name == "/" else position.link(name)
        if target is None:
            if create and name != "/":
                with suppress(FileExistsError):
                    os.mkdir(name, dir_fd=position.descriptor)
            position.move(name)
            continue
        links = _count_link(position, name, links, work_tree)
        pending += reversed(Path(target).parts)


def _enter_parent(position: _Position, path: Path, work_tree: Path | None) -> str:
    """Enter the directory of a file, follow the file itself if it is a link, and return its name there."""
    _enter(position, path.parent.parts, work_tree, create=True)
    name, links = path.name, 0
    while position.path != _DEVICES and not position.is_in(_PROCESSES):
        target = position.link(name)
        if target is None:
            break
        links = _count_link(position, name, links, work_tree)
        _enter(position, Path(target).parent.parts, work_tree, create=False)
        name = Path(target).name
    return name


def _count_link(position: _Position, name: str, links: int, work_tree: Path | None) -> int:
    """One more link than before.

    Raises:
        LinkRefusedError: it is inside the work tree.
    """
    if position.is_in(work_tree):
        raise LinkRefusedError(
            f"{position.path / name} is a symbolic link inside the repository under review; "
            "give a path without links, or one outside the repository"
        )
    if links == _MOST_LINKS:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(position.path / name))
    return links + 1


def is_private(directory: int) -> bool:
    """Return True if a directory belongs to this user, who alone can write to it."""
    found = os.fstat(directory)
    return found.st_uid == os.getuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
