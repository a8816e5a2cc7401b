"""Reading a git repository: which files differ and what they hold. Nothing here writes.

Git is asked through its own program, with optional locks, external diffs, text conversion, terminal
prompts and object fetching off, so that a review leaves the index as it was and never touches the network.
``GIT_INDEX_FILE`` is kept: ``git commit -a`` and ``git commit PATH`` point it at the index that will be
committed.
"""

from __future__ import annotations

import os
import re
import subprocess
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import IO, Protocol, Self

from wardround.change.diff import Change, ChangedFile, FileStatus, Hunk, hunks_of, unquote
from wardround.change.snapshot import Snapshot, private_parent
from wardround.errors import DiffError, GitError

INDEX = ":index"
WORKTREE = ":worktree"

_DIFF_OPTIONS = (
    "--no-color", "--no-ext-diff", "--no-textconv", "--no-relative", "--find-renames", "-l1000",
    "--ignore-submodules=none", "--submodule=short", "--diff-algorithm=histogram", "-O/dev/null",
)  # fmt: skip
_PATCH = ("diff", "-p", "-U0", "--diff-filter=dtu", "--src-prefix=a/", "--dst-prefix=b/", *_DIFF_OPTIONS)
_UNTRACKED = ("ls-files", "--others", "--exclude-standard", "-z")
_NEUTRAL_CONFIG = (
    "-c", "diff.autoRefreshIndex=false", "-c", "diff.renames=true",
    "-c", "diff.interHunkContext=0", "-c", "core.quotePath=true", "-c", "diff.suppressBlankEmpty=false",
    "-c", "core.commitGraph=true", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
)  # fmt: skip
_KEPT_BYTES = 16 * 1024 * 1024
"""How much content is kept in memory, so that what several steps read is read once."""
_ASKED_AT_ONCE = 100
"""Names written before the answers are read; they must fit into a pipe."""
_LOCATION_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR")
_STATUS = {
    "A": FileStatus.ADDED,
    "M": FileStatus.MODIFIED,
    "R": FileStatus.RENAMED,
    "C": FileStatus.COPIED,
    "D": FileStatus.DELETED,
    "T": FileStatus.RETYPED,
    "U": FileStatus.UNMERGED,
}
_WITHOUT_HUNKS = {FileStatus.DELETED, FileStatus.RETYPED, FileStatus.UNMERGED}
_WHOLE_FILE = re.compile(r"@@ -0,0 \+1(?:,(\d+))? @@")


class Tree(Protocol):
    """One side of a change: content by path."""

    def read(self, path: str) -> bytes | None:
        """The content of a regular file, or None if the tree has none at that path."""


class Blobs:
    """One ``git cat-file --batch`` process that hands out objects on request."""

    def __init__(self, argv: Sequence[str], env: Mapping[str, str], cwd: Path) -> None:
        self._argv, self._env, self._cwd = [*argv, "cat-file", "--batch"], dict(env), cwd
        self._process = self._started()
        self._lock = threading.RLock()  # tools' answers are read in threads, and those ask for contents too
        self._kept: OrderedDict[str, bytes | None] = OrderedDict()
        self._kept_bytes = 0

    def _started(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self._argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self._env,
            cwd=self._cwd,
            start_new_session=True,
        )

    def get(self, name: str) -> bytes | None:
        """The content of the blob an object name stands for; None if there is none or it is no blob."""
        if "\n" in name:
            return None
        with self._lock:
            if name not in self._kept:
                self._keep(name, self._read(name))
            self._kept.move_to_end(name)
            return self._kept[name]

    def _read(self, name: str) -> bytes | None:
        try:
            self._ask([name])
            return self._answer(name)[1]
        except GitError:
            self._restart()
            if ":" in name:
                raise
            return None  # git gives up over an object that a partial clone lacks

    def _restart(self) -> None:
        self.close()
        self._process = self._started()

    def fetch(self, names: Iterable[str]) -> None:
        """Read many objects at once, so that ``get`` has them, as far as there is room to keep them."""
        wanted = [name for name in dict.fromkeys(names) if name not in self._kept and "\n" not in name]
        for start in range(0, len(wanted), _ASKED_AT_ONCE):
            if self._kept_bytes > _KEPT_BYTES // 2:
                return
            some = wanted[start : start + _ASKED_AT_ONCE]
            with self._lock:
                try:
                    self._ask(some)
                    for name in some:
                        self._keep(name, self._answer(name)[1])
                except GitError:  # which object it was, ``get`` finds out
                    self._restart()
                    return

    def commit(self, name: str) -> str | None:
        """The id of the commit a name stands for."""
        spec = f"{name}^{{commit}}"
        if "\n" in name:
            return None
        with self._lock:
            self._ask([spec])
            return self._answer(spec)[0]

    def _ask(self, names: Sequence[str]) -> None:
        stdin, _ = self._streams()
        try:
            stdin.write(b"".join(os.fsencode(name) + b"\n" for name in names))
            stdin.flush()
        except OSError as cause:
            raise GitError(f"git stopped while {names[0]!r} was read: {cause}; run git fsck") from cause

    def _answer(self, name: str) -> tuple[str | None, bytes | None]:
        """An object's id, and its content if it is a blob."""
        _, stdout = self._streams()
        header = stdout.readline().split()
        if not header:
            raise GitError(f"git stopped while {name!r} was read; run git fsck")
        if len(header) < 3 or not header[-1].isdigit():
            return None, None
        size = int(header[-1])
        content = stdout.read(size)
        stdout.read(1)
        if len(content) < size:
            raise GitError(f"git stopped while {name!r} was read; run git fsck")
        return header[0].decode(), content if header[-2] == b"blob" else None

    def _keep(self, name: str, content: bytes | None) -> None:
        self._kept[name] = content
        self._kept_bytes += len(content or b"")
        while self._kept_bytes > _KEPT_BYTES and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            self._kept_bytes -= len(dropped or b"")

    def _streams(self) -> tuple[IO[bytes], IO[bytes]]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        return self._process.stdin, self._process.stdout

    def close(self) -> None:
        for stream in self._streams():
            with suppress(OSError):
                stream.close()
        self._process.wait()


@dataclass(frozen=True, slots=True)
class BlobTree:
    """The index (prefix ``:``), or a revision (prefix ``<commit>:``)."""

    prefix: str
    blobs: Blobs

    def read(self, path: str) -> bytes | None:
        return self.blobs.get(self.prefix + path)


@dataclass(frozen=True, slots=True)
class FolderTree:
    """The files of a folder on disk; links are not followed out of their place."""

    root: Path

    def read(self, path: str) -> bytes | None:
        try:
            target = self.root / path
            inside = target.resolve().parent == self.root.resolve() / Path(path).parent
            return target.read_bytes() if inside and not target.is_symlink() else None
        except OSError:
            return None


@dataclass(frozen=True, slots=True)
class EmptyTree:
    """Before the first commit."""

    def read(self, path: str) -> bytes | None:
        return None


class Repository:
    """A git repository, found from a folder in it. Use it as a context manager.

    Attributes:
        root: the top of the work tree; for a bare repository, the git folder.
        bare: there is no work tree.
    """

    def __init__(self, folder: Path | None = None, environ: Mapping[str, str] | None = None) -> None:
        environ = os.environ if environ is None else environ
        self._env = _git_environment(environ, keep_location=folder is None)
        self._cwd = Path.cwd() if folder is None else folder
        if not self._cwd.is_dir():
            raise GitError(f"{self._cwd} is not a folder; give the root of a git repository")
        self._argv: tuple[str, ...] = ("git", *_NEUTRAL_CONFIG)
        self._blobs: Blobs | None = None
        self._comparing: dict[str, list[subprocess.Popen[bytes]]] = {}
        asked = ("--is-bare-repository", "--show-object-format", "--absolute-git-dir")
        try:
            answer = self._output("rev-parse", *asked, "--show-toplevel").split("\n")
        except GitError:  # a bare repository has no top of a work tree
            answer = self._output("rev-parse", *asked).split("\n")
        self.bare = answer[0] == "true"
        self.empty_tree = _EMPTY_TREES[answer[1]]
        self.git_dir = Path(answer[2])
        self.root = self.git_dir if self.bare else Path("\n".join(answer[3:-1]))
        self._cwd = self.root

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._blobs is not None:
            self._blobs.close()
            self._blobs = None
        for process in (p for both in self._comparing.values() for p in both):
            process.kill()  # nobody asked for the answer in the end
            process.communicate()
        self._comparing.clear()

    @property
    def blobs(self) -> Blobs:
        if self._blobs is None:
            self._blobs = Blobs(self._argv, self._env, self.root)
        return self._blobs

    # The three kinds of change

    def staged(self) -> Change:
        """What ``git commit`` would commit now: HEAD to index."""
        return self.staged_since(self.head() or self.empty_tree)

    def staged_since(self, base: str) -> Change:
        """From a commit, or the empty tree, to the index."""
        self._require_worktree("--staged")
        return self._change(["--cached", base], base, INDEX)

    def worktree(self) -> Change:
        """HEAD to the files on disk, untracked files that are not ignored included."""
        self._require_worktree("--worktree")
        base = self.head() or self.empty_tree
        change = self._change([base], base, WORKTREE)
        known = {file.path for file in change.files}
        extra = [self._untracked_file(path) for path in self.untracked() if path not in known]
        files = sorted((*change.files, *extra), key=lambda file: file.path)
        return replace(change, files=tuple(files))

    def between(self, base: str, head: str) -> Change:
        """From the merge base of two revisions to the second.

        Raises:
            GitError: a name stands for no commit, or the two share no history.
        """
        head_id = self.commit(head)
        base_id = self.commit(base)
        merge_base = self._output("merge-base", base_id, head_id, allow=(0, 1)).strip()
        if not merge_base:
            raise GitError(
                f"{base} and {head} share no commit here; fetch more history, or give another --base"
            )
        return self.range(merge_base, head_id)

    def range(self, base: str, head: str) -> Change:
        """From one tree to another, both given as object ids."""
        return self._change([base, head], base, head)

    # Trees

    def index(self) -> Tree:
        return BlobTree(":", self.blobs)

    def revision(self, commit: str) -> Tree:
        if commit == self.empty_tree:
            return EmptyTree()
        return BlobTree(f"{commit}:", self.blobs)

    def tree(self, name: str) -> Tree:
        """The tree a side of a change stands for."""
        if name == INDEX:
            return self.index()
        return FolderTree(self.root) if name == WORKTREE else self.revision(name)

    def content(self, file: ChangedFile, side: str, *, base: bool = False) -> bytes | None:
        """What a changed file holds on one side; None if it is not there or its object is missing."""
        if file.lost:
            return None
        blob, path = (file.base_blob, file.base_path) if base else (file.head_blob, file.path)
        if blob is not None and side != WORKTREE:
            return self.blobs.get(blob)
        return None if path is None else self.tree(side).read(path)

    def fetch(self, files: Iterable[ChangedFile], *, base: bool = False) -> None:
        """Read one side's contents of changed files ahead, all in one go."""
        blobs = (file.base_blob if base else file.head_blob for file in files)
        self.blobs.fetch(blob for blob in blobs if blob is not None)

    # Questions

    def head(self) -> str | None:
        """The commit id of HEAD; None before the first commit."""
        return self.blobs.commit("HEAD")

    def commit(self, name: str) -> str:
        """The id of the commit a name stands for."""
        found = self.blobs.commit(name)
        if found is None:
            hint = (
                "this is the first commit, so give its files with --staged or --worktree"
                if name.endswith(("~1", "^")) and self.head() is not None
                else "check the name, or fetch it"
            )
            raise GitError(f"{name!r} names no commit in {self.root}; {hint}")
        return found

    def has(self, commit: str) -> bool:
        """Whether a commit is in this clone."""
        return bool(self._output("cat-file", "-t", commit, allow=(0, 1, 128)).strip() == "commit")

    def untracked(self) -> list[str]:
        """Files git neither tracks nor ignores, by path."""
        names = self._output(*_UNTRACKED).split("\0")
        return sorted(name for name in names if name and not name.endswith("/"))

    def tracked(self, side: str) -> list[str]:
        """Every path of a tree, sorted."""
        if side in (INDEX, WORKTREE):
            out = self._output("ls-files", "-z")
        else:
            out = self._output("ls-tree", "-r", "-z", "--name-only", "--full-tree", side)
        return sorted({name for name in out.split("\0") if name})

    def compare_with_worktree(self, side: str) -> None:
        """Begin finding out what differs on disk; ``differs_from_worktree`` waits for the answer."""
        if side != WORKTREE and not self.bare and side not in self._comparing:
            options = ("--name-only", "--no-renames", "-z", "--ignore-submodules=all")
            compared = ("diff-files", *options) if side == INDEX else ("diff-index", *options, side, "--")
            untracked = (*_UNTRACKED, "--directory", "--no-empty-directory")
            self._comparing[side] = [self._popen(*compared), self._popen(*untracked)]

    def differs_from_worktree(self, side: str) -> set[str]:
        """Paths whose content on disk is not what the side has: modified, missing, or untracked."""
        self.compare_with_worktree(side)
        found: set[str] = set()
        both = self._comparing.pop(side, [])
        for process in both:
            assert process.stdout is not None
            with process.stdout as out:
                found |= {name.rstrip("/") for name in os.fsdecode(out.read()).split("\0") if name}
        if any(process.wait() for process in both):
            raise GitError(f"git could not compare {self.root} with what is reviewed; run git status there")
        return found

    def files_with_word(self, words: Iterable[str], patterns: Sequence[str]) -> list[str]:
        """Tracked work-tree files matching the patterns in which one of the words stands."""
        if self.bare:
            return []
        asked = [part for word in words for part in ("-e", word)]
        out = self._output(
            "grep", "-l", "-w", "-z", "-F", "--no-color", "--threads=2", *asked, "--", *patterns,
            allow=(0, 1), literal=False,
        )  # fmt: skip
        return sorted(name for name in out.split("\0") if name)

    def config(self, key: str) -> str | None:
        """One git configuration value."""
        return self._output("config", "--get", key, allow=(0, 1)).strip() or None

    def outgoing_base(self, local: str, remote: str) -> str:
        """Where the commits of ``local`` that no branch of ``remote`` has begin; the empty tree for all."""
        new = self._output("rev-list", "--topo-order", "--reverse", local, "--not", f"--remotes={remote}")
        first = new.split("\n", 1)[0]
        if not first:
            return local
        parents = self._output("rev-list", "--parents", "-n1", first).split()[1:]
        return parents[0] if parents else self.empty_tree

    # Writing, for fixes alone

    @property
    def index_file(self) -> Path:
        """The index that will be committed."""
        return Path(self._env.get("GIT_INDEX_FILE") or self.git_dir / "index")

    def staged_blob(self, path: str) -> str | None:
        """The id of the blob the index has at a path."""
        out = self._output("ls-files", "-s", "-z", "--", path)
        return out.split(" ", 2)[1] if out else None

    def write_blob(self, content: bytes) -> str:
        """Store content as it is in the object database and return its id."""
        return self._output("hash-object", "-w", "--stdin", "--no-filters", stdin=content).strip()

    def update_index(self, entries: Iterable[tuple[str, str, str]]) -> None:
        """Set (mode, blob, path) entries of the index, all or none."""
        lines = [f"{mode} {blob} 0\t{path}\0" for mode, blob, path in entries]
        self._output("update-index", "-z", "--index-info", stdin=os.fsencode("".join(lines)))

    def merged(self, path: str, present: bytes, old: str, new: str) -> bytes | None:
        """A work-tree file with the step between two blobs merged in; None where the two collide."""
        before, after = self._as_checked_out(path, old), self._as_checked_out(path, new)
        if present == before:
            return after
        with Snapshot(private_parent(self.root)) as private:
            names = [private.folder / name for name in ("present", "before", "after")]
            for name, content in zip(names, (present, before, after), strict=True):
                name.write_bytes(content)
            done = subprocess.run(
                ["git", "merge-file", "-p", "-q", *map(str, names)],
                capture_output=True,
                env=dict(self._env),
                check=False,
            )
        return done.stdout if done.returncode == 0 else None

    def _as_checked_out(self, path: str, blob: str) -> bytes:
        return os.fsencode(self._output("cat-file", "--filters", f"--path={path}", blob))

    # Running git

    def _require_worktree(self, option: str) -> None:
        if self.bare:
            raise GitError(
                f"{self.root} is a bare repository, which has nothing for {option}; give --base and --head"
            )

    def _change(self, sides: Sequence[str], base: str, head: str) -> Change:
        patch = self._popen(*_PATCH, *sides, "--")
        assert patch.stdout is not None
        with patch.stdout as lines:
            files = self._entries(sides)
            try:
                hunks = self._hunks_of_all(sides, files, _sections(line.decode("latin-1") for line in lines))
            except (DiffError, GitError):
                hunks = None
        if patch.wait() != 0 or hunks is None:  # an object is missing: which one, each file's own patch tells
            done = [one for file in files if (one := self._compared_alone(sides, file)) is not None]
        else:
            done = [replace(file, hunks=hunks[file.path]) for file in files if file.path in hunks]
        return Change(base, head, tuple(sorted(done, key=lambda file: file.path)))

    def _entries(self, sides: Sequence[str]) -> list[ChangedFile]:
        """The files that differ, without their hunks."""
        raw = ("diff", "--raw", "-z", "--no-abbrev", *_DIFF_OPTIONS)
        try:
            return list(_raw_entries(self._output(*raw, *sides, "--")))
        except GitError:  # renames cannot be looked for where contents are missing
            return list(_raw_entries(self._output(*raw, "--no-renames", *sides, "--")))

    def _hunks_of_all(
        self, sides: Sequence[str], files: Sequence[ChangedFile], sections: Iterator[Iterator[str]]
    ) -> dict[str, tuple[Hunk, ...]] | None:
        """The hunks by path, without files that only look modified; None if files and patch do not agree."""
        found: dict[str, tuple[Hunk, ...]] = {}
        section = next(sections, None)
        header = "" if section is None else next(section)
        for file in files:
            if file.status in _WITHOUT_HUNKS:
                found[file.path] = ()
                continue
            if file.is_unsure and _path_in(header) != file.path:
                continue
            if section is None:
                return None
            found[file.path] = self._hunks(sides, file, section)
            section = next(sections, None)
            header = "" if section is None else next(section)
        return found if section is None else None

    def _compared_alone(self, sides: Sequence[str], file: ChangedFile) -> ChangedFile | None:
        """A file with its hunks, or lost if a side of it is missing; None if it only looks modified."""
        if file.status in _WITHOUT_HUNKS:
            return file
        paths = sorted({file.path, file.base_path or file.path})
        try:
            patch = os.fsencode(self._output(*_PATCH, *sides, "--", *paths)).decode("latin-1")
            section = next(_sections(line + "\n" for line in patch.split("\n")), None)
            if section is None:
                return None if file.is_unsure else file
            return replace(file, hunks=self._hunks(sides, file, section))
        except GitError:
            return replace(file, lost=True)

    def _hunks(self, sides: Sequence[str], file: ChangedFile, section: Iterator[str]) -> tuple[Hunk, ...]:
        lines: list[str] = []
        for line in section:
            if line.startswith("@@ "):
                whole = _WHOLE_FILE.match(line) if file.status is FileStatus.ADDED else None
                if whole:  # every line is added: nothing to read in them
                    return (Hunk(0, 0, 1, int(whole[1] or 1)),)
                return hunks_of(_chain(line, section))
            lines.append(line)
        if any(line.startswith("Binary files ") for line in lines) and file.base_path is not None:
            return self._hunks_as_text(sides, file)
        return ()

    def _hunks_as_text(self, sides: Sequence[str], file: ChangedFile) -> tuple[Hunk, ...]:
        """The hunks of a file that git takes for binary, by an attribute or for its bytes."""
        paths = {file.path, file.base_path or file.path}
        patch = self._popen("diff", "-p", "-U0", "--text", *_DIFF_OPTIONS, *sides, "--", *sorted(paths))
        assert patch.stdout is not None
        with patch.stdout as lines:
            decoded = (line.decode("latin-1") for line in lines)
            body = (line for section in _sections(decoded) for line in _from_first_hunk(section))
            hunks = hunks_of(body)
        if patch.wait() != 0:
            raise GitError(f"git diff failed in {self._cwd} for {file.path}; fetch what is missing")
        return hunks

    def _untracked_file(self, path: str) -> ChangedFile:
        mode = "120000" if (self.root / path).is_symlink() else "100644"
        return ChangedFile(path, None, FileStatus.ADDED, mode)

    def _popen(self, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*self._argv, "--literal-pathspecs", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            env=dict(self._env),
            cwd=self._cwd,
            start_new_session=True,
        )

    def _output(
        self, *arguments: str, allow: tuple[int, ...] = (0,), literal: bool = True, stdin: bytes = b""
    ) -> str:
        """Run git and return what it printed, undecodable bytes as surrogate escapes."""
        pathspecs = ("--literal-pathspecs",) if literal else ()
        try:
            done = subprocess.run(
                [*self._argv, *pathspecs, *arguments],
                capture_output=True,
                input=stdin,
                env=dict(self._env),
                cwd=self._cwd,
                check=False,
                start_new_session=True,
            )
        except FileNotFoundError as cause:
            raise GitError("git is not on PATH; install git, or add it to PATH") from cause
        if done.returncode not in allow:
            raise GitError(_git_complaint(self._cwd, arguments, done.stderr))
        return os.fsdecode(done.stdout)


_EMPTY_TREES = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}


def _git_environment(environ: Mapping[str, str], *, keep_location: bool) -> dict[str, str]:
    env = dict(environ)
    for name in _LOCATION_VARIABLES:
        if name not in env:
            continue
        if keep_location:
            # Git sets these relative to the folder it starts a hook in; wardround asks from the root.
            env[name] = os.path.abspath(env[name])
        else:
            del env[name]
    if not keep_location:
        env.pop("GIT_PREFIX", None)
    for name in ("GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS", "GIT_PAGER", "GIT_TRACE", "GIT_CONFIG"):
        env.pop(name, None)
    env |= {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        "LC_ALL": "C",
    }
    return env


def _git_complaint(folder: Path, arguments: Sequence[str], stderr: bytes) -> str:
    text = os.fsdecode(stderr).strip()
    last = text.splitlines()[-1] if text else "no reason given"
    if "not a git repository" in text:
        return f"{folder} is not in a git repository; run wardround in one, or give --repo DIR"
    if "dubious ownership" in text:
        return (
            f"git does not trust {folder}, which another user owns; "
            f"run git config --global --add safe.directory {folder}"
        )
    return f"git {arguments[0]} failed in {folder}: {last.removeprefix('fatal: ')}"


def _raw_entries(raw: str) -> Iterator[ChangedFile]:
    """Parse ``git diff --raw -z``."""
    fields = iter(raw.split("\0"))
    for meta in fields:
        if not meta.startswith(":"):
            continue
        base_mode, mode, base_blob, head_blob, letter = meta[1:].split(" ")
        status = _STATUS[letter[0]]
        first = next(fields)
        path = next(fields) if status in (FileStatus.RENAMED, FileStatus.COPIED) else first
        if status is FileStatus.DELETED:
            mode = base_mode
        elif status is FileStatus.UNMERGED:
            mode = "100644"  # each of the versions has its own, and git gives none
        yield ChangedFile(
            path=path,
            base_path=None if status in (FileStatus.ADDED, FileStatus.UNMERGED) else first,
            status=status,
            mode=mode,
            head_blob=_blob(head_blob),
            base_blob=_blob(base_blob),
        )


def _blob(object_id: str) -> str | None:
    return object_id if object_id.strip("0") else None


def _sections(lines: Iterator[str]) -> Iterator[Iterator[str]]:
    """Cut a patch before its ``diff --git`` lines; what is not read of a part is skipped with the next."""
    pending = next((line for line in lines if line.startswith("diff --git ")), None)

    def section() -> Iterator[str]:
        nonlocal pending
        assert pending is not None
        header, pending = pending, None
        yield header
        for line in lines:
            if line.startswith("diff --git "):
                pending = line
                return
            yield line

    while pending is not None:
        current = section()
        yield current
        for _ in current:
            pass


def _path_in(header: str) -> str:
    """The path in the ``diff --git`` line of a file that keeps its name: it stands there twice."""
    both = header.removeprefix("diff --git ").rstrip("\n")
    return unquote(both[len(both) // 2 + 1 :])[2:]


def _from_first_hunk(section: Iterator[str]) -> Iterator[str]:
    for line in section:
        if line.startswith("@@ "):
            yield line
            yield from section


def _chain(first: str, rest: Iterator[str]) -> Iterator[str]:
    yield first
    yield from rest
