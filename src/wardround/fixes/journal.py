"""The journal of a fix, stored so that a killed run is completed by the next one.

The order is essential: the journal with all new content is on disk before the first byte of the repository
changes, and it is removed only after the last. Replaying it is safe at any point, since each file is written
only while it has the content from which the fix was computed.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from wardround.change.repository import Repository
from wardround.errors import FixRejected
from wardround.fixes import unfinished
from wardround.storage import directories

_JOURNAL = unfinished.JOURNAL


class IndexEntry(msgspec.Struct, frozen=True):
    """A blob to be replaced in the index."""

    path: str
    mode: str
    old: str
    new: str


class WorktreeFile(msgspec.Struct, frozen=True):
    """A work-tree file to replace: the SHA-256 of its expected content, the path of its new content.

    Without an expected content the file is new.
    """

    path: str
    old: str
    content: str


class Journal(msgspec.Struct, frozen=True):
    """The files that one fix writes, with their old and new contents. Undecodable bytes of paths are
    surrogate escapes for ``json``.

    Attributes:
        mark: the content of the file that marks the clone; see ``unfinished.mark_file``.
    """

    root: str
    index_file: str
    index: tuple[IndexEntry, ...]
    worktree: tuple[WorktreeFile, ...]
    mark: str = ""


def folder_of(repository: Repository) -> Path:
    """Return the folder of the fixes of one repository."""
    return unfinished.folder_of(repository.git_dir)


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def replay(repository: Repository, journal: Journal, contents: dict[str, bytes]) -> list[str]:
    """Store a journal and the new contents, then apply it; see ``complete``.

    Raises:
        FixRejected: they cannot be written, or another fix is running here, so nothing was changed.
    """
    with _alone(repository):
        begin(repository, journal, contents)
        return _complete(repository)


@contextmanager
def _alone(repository: Repository) -> Iterator[None]:
    """Lock out other fixes of the same repository: they use the same files."""
    folder = folder_of(repository)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        held = os.open(folder, os.O_RDONLY)
    except OSError as cause:
        raise FixRejected(f"{folder} cannot be written: {cause.strerror}; nothing was changed") from cause
    try:
        _lock(held, repository)
        yield
    finally:
        os.close(held)


def _lock(held: int, repository: Repository) -> None:
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as cause:
        raise FixRejected(
            f"another review --fix is running in {repository.root}; run it again after it has finished"
        ) from cause


def begin(repository: Repository, journal: Journal, contents: dict[str, bytes]) -> Path:
    """Store a journal and the new contents.

    Raises:
        FixRejected: they cannot be written, so nothing was changed.
    """
    folder = folder_of(repository)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        journal = msgspec.structs.replace(journal, mark=secrets.token_hex(16))
        for name, content in contents.items():
            _write_through(folder / name, content)
        _write_through(unfinished.mark_file(repository.git_dir), journal.mark.encode())
        _write_through(folder / f"{_JOURNAL}.new", json.dumps(msgspec.to_builtins(journal)).encode())
        os.replace(folder / f"{_JOURNAL}.new", folder / _JOURNAL)
        _sync_folder(folder)
    except OSError as cause:
        raise FixRejected(f"{folder} cannot be written: {cause.strerror}; nothing was changed") from cause
    return folder


def recover(repository: Repository) -> list[str]:
    """Apply the journal, if there is one of this clone, and remove it.

    Returns:
        The paths that were not written, because they no longer have the content from which the fix was
        computed, or because another clone was at the same path.

    Raises:
        FixRejected: the journal is damaged, a file cannot be read or written, or another fix is running
            here; the
            journal stays.
    """
    if not (folder_of(repository) / _JOURNAL).exists():
        return []
    with _alone(repository):
        return _complete(repository)


def _complete(repository: Repository) -> list[str]:
    folder = folder_of(repository)
    file = folder / _JOURNAL
    if not file.exists():
        return []
    try:
        journal = msgspec.convert(json.loads(file.read_bytes()), Journal)
    except (ValueError, msgspec.MsgspecError) as cause:
        raise FixRejected(f"{file} is damaged: {cause}; remove it") from cause
    if not _is_of_clone(journal, repository):
        _remove(repository, journal)
        return sorted({entry.path for entry in journal.worktree} | {entry.path for entry in journal.index})
    try:
        left = [
            entry.path for entry in journal.worktree if not _write_worktree(Path(journal.root), entry, folder)
        ]
    except OSError as cause:
        raise FixRejected(
            f"{cause.filename}: {cause.strerror}; fix that and run it again, or remove {file}"
        ) from cause
    left += _write_index(repository, journal, set(left))
    _remove(repository, journal)
    return sorted(set(left))


def _is_of_clone(journal: Journal, repository: Repository) -> bool:
    """Return True if the fix was begun in this clone: another one may have the same path later."""
    try:
        mark = unfinished.mark_file(repository.git_dir).read_text("ascii")
    except (OSError, UnicodeDecodeError):
        return False
    return journal.root == str(repository.root) and bool(mark) and mark == journal.mark


def _remove(repository: Repository, journal: Journal) -> None:
    folder = folder_of(repository)
    (folder / _JOURNAL).unlink()
    for file in journal.worktree:
        (folder / file.content).unlink(missing_ok=True)
    unfinished.mark_file(repository.git_dir).unlink(missing_ok=True)


def _write_worktree(root: Path, item: WorktreeFile, folder: Path) -> bool:
    """Replace a file by its new content atomically; False if it has changed, or is behind a symbolic link."""
    target = root / os.fsdecode(item.path.encode("utf-8", "surrogateescape"))
    new = (folder / item.content).read_bytes()
    is_new = not item.old
    try:
        with directories.open_directory(target.parent, root, create=is_new):
            pass
    except (OSError, directories.LinkRefusedError):
        return False
    beside = target.with_name(f".{target.name}.wardround-tmp")
    beside.unlink(missing_ok=True)
    try:
        current = digest(target.read_bytes())
    except FileNotFoundError:
        current = ""
    except OSError:
        return False
    if current == digest(new):
        return True
    if current != item.old:
        return False
    beside.write_bytes(new)
    if not is_new:
        shutil.copymode(target, beside)
    beside.replace(target)
    return True


def _write_index(repository: Repository, journal: Journal, left: set[str]) -> list[str]:
    if journal.index_file != str(repository.index_file) or not repository.index_file.exists():
        return []
    due = []
    refused = []
    for entry in journal.index:
        current = repository.staged_blob(entry.path)
        if entry.path not in left and current == entry.old:
            due.append((entry.mode, entry.new, entry.path))
        elif current != entry.new:
            refused.append(entry.path)
    if due:
        repository.update_index(due)
    return refused


def _write_through(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
