"""A private folder with the layout of the repository, for tools that need files on disk.

It holds copies of the files under review and, for tools that follow imports, links to the unchanged rest of
the work tree. A folder is linked as one unless something in it differs from the version under review, so the
cost depends on the change. Nothing is written to the work tree; the snapshot of a killed review is removed by
the next one.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from wardround.change.encoding import lower_suffix
from wardround.lazy import LazyPattern
from wardround.storage.paths import cache_dir
from wardround.text.globs import matches

_PREFIX = "wardround-"
_SNAPSHOT = LazyPattern(_PREFIX + r"[0-9a-f]{16}")
"""The name of a snapshot: other folders with this prefix belong to users, or contain the reports of a run."""
_IN_MEMORY = Path("/dev/shm")  # noqa: S108  (a private folder is made in it)
_ROOM_BYTES = 512 * 1024 * 1024
_MINIFIED = LazyPattern(r"([.-])min\.(?=[^/]*\Z)")
"""The part of a file name by which tools recognise minified files."""
_PLAIN = LazyPattern(r"[^\x00-\x1f\x7f\udc80-\udcff\\=]+")


def safe_name(path: str) -> str:
    """Return the path of a file in a snapshot: its own, unless a tool could not print it in its output.

    Control characters, backslashes and undecodable bytes become ``=HH``, and so do a leading dash and the
    equals sign, so that no two paths share one alias. A name that a tool skips loses the cause of
    that: the separator before ``min``, and capitals in its suffix.
    """
    out = _quote_path(path)
    if "min." in out:
        out = _MINIFIED.sub(lambda found: f"={ord(found[1]):02x}min.", out)
    if path == lower_suffix(path):
        return out
    stem, _, suffix = out.rpartition(".")
    return f"{stem}=2e{suffix}.{suffix.lower()}"


def _quote_path(path: str) -> str:
    """Return a path, of a file or a folder, without characters that a tool could not name in its output."""
    if _PLAIN.fullmatch(path) and not path.startswith("-"):
        return path
    out = "".join(c if _PLAIN.fullmatch(c) else "".join(f"={b:02x}" for b in os.fsencode(c)) for c in path)
    return f"=2d{out[1:]}" if out.startswith("-") else out


def alias_ending(path: str, endings: Sequence[str]) -> str:
    """Return a unique path of a file for a tool that recognises its files by their endings."""
    name = safe_name(path)
    return name if not endings or name.endswith(tuple(endings)) else f"{name}={endings[0]}"


def scratch_root(worktree: Path) -> Path:
    """Return the parent of private folders: memory, the temporary folder, or the cache if that is in the
    work tree.

    A temporary folder that the caller configured is used; else a file system in memory, if one has room:
    hundreds of links take milliseconds there and can take longer than the tools on a disk.
    """
    named = next((Path(n).resolve() for n in map(os.environ.get, ("TMPDIR", "TEMP", "TMP")) if n), None)
    if named is None and _has_room(_IN_MEMORY):
        return _IN_MEMORY
    folder = cache_dir()
    if named is None:
        folder = _temporary()
    elif os.access(
        named, os.W_OK | os.X_OK
    ):  # Python would test it by writing a file, which a kill leaves behind
        folder = named
    if folder.is_relative_to(worktree.resolve()):
        folder = cache_dir()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _has_room(folder: Path) -> bool:
    try:
        found = os.statvfs(folder)
    except OSError:
        return False
    return found.f_bavail * found.f_frsize >= _ROOM_BYTES and os.access(folder, os.W_OK | os.X_OK)


class Snapshot:
    """Folders under one private temporary folder; removed when the context ends."""

    def __init__(self, parent: Path | None = None) -> None:
        parent = parent or _temporary()
        _sweep(parent)
        self.folder, self._lock = _locked_folder(parent)
        self.home = self.folder / "home"
        self.home.mkdir()
        self._made: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _remove(self.folder)
        os.close(self._lock)

    def side(self, name: str) -> Path:
        """Return the root of the repository at base or head."""
        return self.folder / name / "repo"

    def write(self, side: str, path: str, content: bytes) -> None:
        """Write a file into the snapshot of base or head, unless it exists already."""
        self.write_as(side, safe_name(path), content)

    def write_as(self, side: str, name: str, content: bytes) -> None:
        """Write a file into a snapshot under a name that is not one of its paths, unless it exists
        already.
        """
        target = f"{self.side(side)}/{name}"
        if target in self._made:
            return
        self._make_folder(target.rpartition("/")[0])
        with open(target, "wb") as file:
            file.write(content)
        self._made.add(target)

    def has(self, side: str, path: str) -> bool:
        """Return True if a file was written into the snapshot of base or head."""
        return f"{self.side(side)}/{safe_name(path)}" in self._made

    def write_above(self, side: str, name: str, content: str) -> None:
        """Write a file above a snapshot's root, where tools search after the repository's own folders."""
        root = self.side(side)
        self._make_folder(root)
        (root.parent / name).write_bytes(content.encode("utf-8", "surrogateescape"))

    def _make_folder(self, folder: Path | str) -> None:
        if str(folder) not in self._made:
            os.makedirs(folder, exist_ok=True)
            self._made.add(str(folder))

    def link_project(
        self,
        side: str,
        worktree: Path,
        differing: Collection[str],
        read: Callable[[str], bytes | None],
        patterns: Sequence[str],
        absent: Iterable[str] = (),
        never: Collection[str] = (),
        is_tracked: Callable[[str], bool] = lambda path: False,
    ) -> None:
        """Complete a snapshot with links to the rest of the work tree.

        Args:
            differing: paths whose content on disk differs from the snapshot.
            read: the content of such a path, None if the version has no such file.
            patterns: names of files to link; folders always are.
            absent: paths that the snapshot lacks though the work tree may have them.
            never: names of files that tools must not see, except those under review.
            is_tracked: True for a path under version control. Only links out of the work tree that users
                created themselves are followed, such as one to the packages of another folder.
        """
        root = self.side(side)
        self._make_folder(root)
        hidden = set(absent)
        for path in sorted(differing):
            if self.has(side, path):
                continue
            hidden.add(path)
            name = path.rpartition("/")[2]
            if name in never or not matches(name, patterns):
                continue
            self._make_folder((root / safe_name(path)).parent)
            content = read(path)
            if content is not None:
                self.write(side, path, content)
        for path in sorted(hidden):
            parent = root / _quote_path(path.rpartition("/")[0])
            if (worktree / path.rpartition("/")[0]).is_dir():
                self._make_folder(parent)
        for folder in sorted(self._folders_of(root)):
            _link_entries(worktree, root, folder, hidden, patterns, never, is_tracked)

    def _folders_of(self, root: Path) -> set[str]:
        """Return every real folder of a snapshot, relative to its root; ``""`` is the root."""
        found = {""}
        prefix = str(root) + "/"
        for created in self._made:
            if created.startswith(prefix) and os.path.isdir(created):
                parts = created.removeprefix(prefix).split("/")
                found |= {"/".join(parts[: n + 1]) for n in range(len(parts))}
        return found


def _link_entries(
    worktree: Path,
    root: Path,
    folder: str,
    hidden: Collection[str],
    patterns: Sequence[str],
    never: Collection[str],
    is_tracked: Callable[[str], bool],
) -> None:
    try:
        entries = list(os.scandir(worktree / folder))
    except OSError:
        return
    stem = f"{folder}/" if folder else ""
    for entry in entries:
        path = stem + entry.name
        # Hidden folders contain no modules: the repository itself, and environments that a tool would find
        # by itself.
        if entry.name.startswith(".") or path in hidden or entry.name in never:
            continue
        is_expected = entry.is_dir() or matches(entry.name, patterns)
        if is_expected and not (_leads_out(entry, worktree, path) and is_tracked(path)):
            with suppress(FileExistsError):  # it exists already if it is under review
                os.symlink(entry.path, f"{root}/{path}")


def _leads_out(entry: os.DirEntry[str], worktree: Path, path: str) -> bool:
    return entry.is_symlink() and leads_out(worktree, path)


def leads_out(worktree: Path, path: str) -> bool:
    """Return True if a path leads to something outside the work tree, or to the data of git."""
    top, target = os.path.realpath(worktree), os.path.realpath(worktree / path)
    inside = os.path.relpath(target, top).split(os.sep)
    return inside[0] == os.pardir or ".git" in inside


def _locked_folder(parent: Path) -> tuple[Path, int]:
    """Return a new folder and the lock that marks it as in use."""
    while True:
        created = Path(os.path.realpath(parent), f"{_PREFIX}{os.urandom(8).hex()}")
        os.mkdir(created, mode=0o700)
        with suppress(FileNotFoundError):
            lock = os.open(created, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            fcntl.flock(lock, fcntl.LOCK_EX)
            if created.exists():
                return created, lock
            os.close(lock)  # another review removed it as an orphan before it was locked


def _temporary() -> Path:
    import tempfile

    return Path(tempfile.gettempdir()).resolve()


def _remove(folder: Path) -> None:
    import shutil

    with suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        _remove_by_programs(folder)


def _remove_by_programs(folder: Path) -> None:
    """Remove a folder that a program under test closed to its owner, or nested deeper than Python's stack."""
    import subprocess

    for command in (("/bin/chmod", "-R", "u+rwx"), ("/bin/rm", "-rf")):
        with suppress(OSError):
            subprocess.run(
                [*command, "--", folder],
                env={},
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )


def _sweep(parent: Path) -> None:
    """Remove snapshots whose review has ended."""
    with suppress(OSError):
        for entry in os.scandir(parent):
            if _SNAPSHOT.fullmatch(entry.name):
                _remove_if_orphaned(Path(entry.path))


def _remove_if_orphaned(folder: Path) -> None:
    try:
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
            return
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _remove(folder)
    except OSError:
        return
    finally:
        os.close(lock)
