"""A git repository: the files that differ and their contents. Only fixes, notes and patches write to it."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import IO, TYPE_CHECKING, Self

from msgspec.structs import replace

from wardround.change.commit_log import CommitLog
from wardround.change.commit_text import CommitText
from wardround.change.diff import Change, ChangedFile, FileStatus
from wardround.change.file_history import FileHistory
from wardround.change.git_diff import GitDiff
from wardround.change.git_process import GitProcess
from wardround.change.grep import CheckedOutFiles, SearchedFiles, StoredFiles, WordSearch
from wardround.change.revisions import END, is_object_id, require_revision, tracking_branches
from wardround.change.snapshot import Snapshot, scratch_root
from wardround.change.trees import Blobs, BlobTree, EmptyTree, FolderTree, Tree, WorkTree, paths_overlap
from wardround.errors import GitError

if TYPE_CHECKING:
    from wardround.change.withdrawn_lines import WithdrawnLines

INDEX = ":index"
WORKTREE = ":worktree"

_UNTRACKED = ("ls-files", "--others", "--exclude-standard", "-z")
_SUBMODULE, _REGULAR = "160000", "100644"
_AUTHOR = "wardround"
"""The author of commits that no branch has."""
_EMPTY_TREES = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}


class Repository:
    """A git repository, discovered from a folder in it. Use it as a context manager.

    Attributes:
        root: the top of the work tree; for a bare repository, the git folder.
        bare: True without a work tree.
    """

    def __init__(self, folder: Path | None = None, environ: Mapping[str, str] | None = None) -> None:
        environ = os.environ if environ is None else environ
        self._git = GitProcess(folder, environ)
        self._blobs: Blobs | None = None
        self._comparing: dict[str, list[subprocess.Popen[bytes]]] = {}
        self._differing: dict[str, frozenset[str]] = {}
        self._comparer = os.getpid()
        self._compare_lock = threading.Lock()  # threads that link files for tools ask, and so do checks
        requested = ("--is-bare-repository", "--show-object-format", "--absolute-git-dir")
        try:
            answer = self._git.output("rev-parse", *requested, "--show-toplevel").split("\n")
        except GitError:  # a bare repository has no top of a work tree
            answer = self._git.output("rev-parse", *requested).split("\n")
        self.bare = answer[0] == "true"
        self.empty_tree = _EMPTY_TREES[answer[1]]
        if len(answer) > (4 if self.bare else 5):  # a path contains newlines, so that the lines are ambiguous
            own = self._git.output("rev-parse", "--absolute-git-dir")
            answer[2:] = [own[:-1], "\n".join(answer[2:])[len(own) :]]
        self.git_dir = Path(answer[2])
        self.root = self.git_dir if self.bare else Path(answer[3].removesuffix("\n"))
        self._git.folder = self.root
        self._searches: dict[str, WordSearch] = {}
        self._searched_objects: list[StoredFiles] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._blobs is not None:
            self._blobs.close()
            self._blobs = None
        for process in (p for both in self._comparing.values() for p in both):
            process.kill()  # the result was not used
            process.communicate()
        self._comparing.clear()

    @property
    def common_dir(self) -> Path:
        """The git folder that linked work trees share; of another work tree, its own."""
        file = self.git_dir / "commondir"
        return (self.git_dir / file.read_text().rstrip("\n")).resolve() if file.is_file() else self.git_dir

    @property
    def commit_text(self) -> CommitText:
        return CommitText(self._git)

    @property
    def commit_log(self) -> CommitLog:
        return CommitLog(self._git)

    @property
    def file_history(self) -> FileHistory:
        return FileHistory(self._git)

    @property
    def blobs(self) -> Blobs:
        if self._blobs is None:
            self._blobs = Blobs(self._git)
        return self._blobs

    # The three kinds of change

    def staged_change(self) -> Change:
        """Return what ``git commit`` would commit now: HEAD to index."""
        return self.staged_since(self.head() or self.empty_tree)

    def staged_since(self, base: str) -> Change:
        """Return the change from a commit, or the empty tree, to the index."""
        self._require_worktree("--staged")
        self.compare_with_worktree(INDEX)  # the slowest step in a large repository begins first
        return GitDiff(self._git).change(["--cached", END, base], base, INDEX)

    def worktree(self) -> Change:
        """Return the change from HEAD to the files on disk, including untracked but not ignored ones."""
        self._require_worktree("--worktree")
        base = self.head() or self.empty_tree
        change = GitDiff(self._git.unfiltered).change([END, base], base, WORKTREE)
        known = {file.path for file in change.files}
        extra = [self._untracked_file(path) for path in self.untracked_files() if path not in known]
        files = sorted((*change.files, *extra), key=lambda file: file.path)
        return replace(change, files=tuple(files))

    def all_files(self, paths: Sequence[str] = ()) -> Change:
        """Return the tracked files as they are on disk, as if all were added.

        Args:
            paths: paths of files and folders; without any, every tracked file.

        Raises:
            GitError: nothing is tracked at one of the paths.
        """
        self._require_worktree("--all-files")
        differing = self.differs_from_worktree(INDEX)
        files: dict[str, ChangedFile] = {}
        for path, blob, mode, is_merged in self._staged_entries(paths):
            if not is_merged:
                files[path] = ChangedFile(path, None, FileStatus.UNMERGED, "100644")
            elif os.path.lexists(self.root / path):
                is_edited = path in differing and mode != _SUBMODULE
                unchanged = ChangedFile(path, None, FileStatus.ADDED, mode, blob)
                files[path] = self._untracked_file(path) if is_edited else unchanged
        self._require_tracked_paths(paths, files)
        listed = tuple(files[path] for path in sorted(files))
        return Change(self.empty_tree, WORKTREE, listed, all_files=True)

    def _staged_entries(self, paths: Sequence[str]) -> Iterator[tuple[str, str, str, bool]]:
        """Yield path, id and mode of the entries of the index, and False for a version of a conflict."""
        out = self._git.output("ls-files", "-s", "-z", "--", *paths)
        for row in filter(None, out.split("\0")):
            reported, path = row.split("\t", 1)
            mode, blob, stage = reported.split()
            yield path, blob, mode, stage == "0"

    def _require_tracked_paths(self, paths: Sequence[str], files: Collection[str]) -> None:
        for path in paths:
            if path and not any(file == path or file.startswith(f"{path}/") for file in files):
                raise GitError(f"{path}: git tracks no file there; git add it, or name another path")

    def between(self, base: str, head: str) -> Change:
        """Return the change from the merge base of two revisions to the second; all of it, if the first is
        the empty tree.

        The first is the target of the change. In a partial clone that lacks the trees of one of them, the
        change is ``unread``.

        Raises:
            GitError: a name denotes no commit, or the two share no history.
        """
        head_id = self.commit(head)
        if base == self.empty_tree:
            return self.range(base, head_id)
        base_id = self.commit(base)
        merge_base = self._git.output("merge-base", END, base_id, head_id, allow=(0, 1)).strip()
        if not merge_base:
            raise GitError(
                f"{base} and {head} share no commit here; fetch more history, or give another --base"
            )
        try:
            return replace(self.range(merge_base, head_id), target=base_id)
        except GitError:
            if not self._is_partial:
                raise
        sides = f"{merge_base[:7]} {head_id[:7]}"
        unread = (
            f"this partial clone lacks folders of its commits; run git diff {sides} once while its remote is "
            f"reachable, which fetches them"
        )
        return Change(merge_base, head_id, (), base_id, unread=unread)

    @property
    def _is_partial(self) -> bool:
        """Return True if the clone was created without all objects of its commits."""
        return bool(self._git.settings(r"^remote\..*\.promisor$"))

    def range(self, base: str, head: str) -> Change:
        """Return the change from one tree to another, both given as object ids."""
        return GitDiff(self._git).change([END, base, head], base, head)

    def settings_between(self, base: str, target: str, names: Collection[str]) -> list[str]:
        """Return paths with one of these file names whose content differs between two trees, sorted."""
        options = ("-r", "--name-only", "--no-renames", "-z")
        out = self._git.output("diff-tree", *options, END, base, target)
        return sorted(path for path in out.split("\0") if path.rpartition("/")[2] in names)

    # Trees

    def blobs_between(self, base: str, head: str) -> list[tuple[str, str, str, str]]:
        """Return path, mode, old and new object id of each file that differs, renames as two files.

        Mode and ids are empty without content. The head may be the index.
        """
        options = ("-r", "--raw", "-z", "--no-renames", "--no-abbrev")
        if head == INDEX:
            out = self._git.output(
                "diff-index", "--cached", "--ita-invisible-in-index", *options, END, base, "--"
            )
        else:
            out = self._git.output("diff-tree", *options, END, base, head, "--")
        fields = out.split("\0")
        found = []
        for status, path in zip(fields[::2], fields[1::2], strict=False):
            _, mode, old, new, _ = status.split(" ")
            found.append((path, mode.strip("0") and mode, old.strip("0") and old, new.strip("0") and new))
        return found

    def index(self) -> Tree:
        return BlobTree(":", self.blobs)

    def revision(self, commit: str) -> Tree:
        if commit == self.empty_tree:
            return EmptyTree()
        return BlobTree(f"{commit}:", self.blobs)

    def tree(self, name: str) -> Tree:
        """Return the tree of the base or head of a change."""
        if name == INDEX:
            return self.index()
        if name == WORKTREE:
            return WorkTree(FolderTree(self.root), self.index(), self.assumed_unchanged)
        return self.revision(name)

    def content(self, file: ChangedFile, side: str, *, base: bool = False) -> bytes | None:
        """Return the content of a changed file at base or head; None if it does not exist or its object is
        missing.
        """
        if file.lost:
            return None
        blob, path = (file.base_blob, file.base_path) if base else (file.head_blob, file.path)
        if blob is not None and side != WORKTREE:
            return self.blobs.get(blob)
        return None if path is None else self.tree(side).read(path)

    def fetch(self, files: Iterable[ChangedFile], *, base: bool = False) -> None:
        """Prefetch the contents of changed files at base or head with one request."""
        blobs = (file.base_blob if base else file.head_blob for file in files)
        self.blobs.fetch(blob for blob in blobs if blob is not None)

    # Queries

    def head(self) -> str | None:
        """Return the commit id of HEAD; None before the first commit."""
        return self.blobs.commit("HEAD")

    def commit(self, name: str) -> str:
        """Return the id of the commit that a name denotes.

        Raises:
            GitError: it cannot be a name, or denotes no commit.
        """
        require_revision(name)
        found = self.blobs.commit(name)
        if found is None:
            hint = "check the name, or fetch it"
            if self.is_shallow:
                hint = (
                    "this clone is shallow; run git fetch --unshallow, or set fetch-depth: 0 in the workflow"
                )
            elif name.endswith(("~1", "^")) and self.head() is not None:
                hint = "this is the first commit, so give its files with --staged or --worktree"
            raise GitError(f"{name!r} names no commit in {self.root}; {hint}")
        return found

    @property
    def is_shallow(self) -> bool:
        """Return True if the clone is shallow."""
        return self._git.output("rev-parse", "--is-shallow-repository").strip() == "true"

    def has(self, commit: str) -> bool:
        """Return True if a commit is in this clone."""
        kind = (
            self._git.output("cat-file", "-t", END, commit, allow=(0, 1, 128)) if is_object_id(commit) else ""
        )
        return kind.strip() == "commit"

    def is_ancestor(self, commit: str, descendant: str) -> bool:
        """Return True if a commit is in the history of another, or is that one; both are object ids."""
        return (
            self._git.output("merge-base", "--all", END, commit, descendant, allow=(0, 1)).strip() == commit
        )

    def nearest_tag(self, commit: str) -> str:
        """Return the last tag in the history of a commit; empty if there is none."""
        return self._git.output("describe", "--tags", "--abbrev=0", END, commit, allow=(0, 128)).strip()

    def untracked_files(self) -> list[str]:
        """Return the untracked files that git does not ignore, by path."""
        names = self._git.output(*_UNTRACKED).split("\0")
        return sorted(name for name in names if name and not name.endswith("/"))

    def tracked_paths(self, side: str, patterns: Sequence[str] = ()) -> list[str]:
        """Return every path at base or head, sorted; with patterns, of the index and the work tree only
        matching ones.

        Those of the work tree include untracked files.
        """
        if side == WORKTREE:
            removed = self._listed_names("--deleted", "--", *patterns) - self._assumed_unchanged
            return sorted(
                self._listed_names("--cached", "--others", "--exclude-standard", "--", *patterns) - removed
            )
        if side == INDEX:
            return sorted(self._listed_names("--", *patterns))
        out = self._git.output("ls-tree", "-r", "-z", "--name-only", "--full-tree", END, side)
        return sorted({name for name in out.split("\0") if name})

    def _listed_names(self, *arguments: str) -> set[str]:
        out = self._git.output("ls-files", "-z", *arguments, literal=False)
        return {name for name in out.split("\0") if name}

    def index_contains(self, path: str) -> bool:
        """Return True if the index has anything at a path, below it, or instead of a folder above it."""
        above = [str(parent) for parent in PurePosixPath(path).parents if str(parent) != "."]
        patterns = [f":(literal,icase){name}" for name in (path, *above)]
        return any(paths_overlap(path, tracked) for tracked in self.tracked_paths(INDEX, patterns))

    def blobs_of(self, side: str) -> list[tuple[str, str]]:
        """Return path and object id of every regular file of the index or a revision, sorted."""
        return [(path, blob) for path, blob, mode in self.entries_of(side) if mode.startswith("100")]

    def entries_of(self, side: str) -> list[tuple[str, str, str]]:
        """Return path, object id and mode of everything in the index or a revision, sorted."""
        if side == INDEX:
            out, at = self._git.output("ls-files", "-s", "-z"), 1
        else:
            out, at = self._git.output("ls-tree", "-r", "-z", "--full-tree", END, side), 2
        rows = (row.split("\t", 1) for row in out.split("\0") if row)
        return sorted({(path, reported.split()[at], reported.split()[0]) for reported, path in rows})

    def origin(self) -> str:
        """Return the URL of the remote ``origin``; empty if there is none."""
        return self._git.output("config", "--get", "remote.origin.url", allow=(0, 1)).strip()

    def submodules(self, side: str) -> list[str]:
        """Return the paths of the submodules of the index or a revision, sorted."""
        return [path for path, _, mode in self.entries_of(side) if mode == _SUBMODULE]

    def copy_blob(self, blob: str, target: IO[bytes]) -> None:
        """Write the content of a blob of any size into an open file.

        Raises:
            GitError: git cannot read it.
        """
        import shutil  # it loads every compression library, which a git hook does not need

        with self._git.popen("cat-file", "blob", blob) as process:
            assert process.stdout is not None
            shutil.copyfileobj(process.stdout, target)
        if process.returncode:
            raise GitError(f"git cannot read the object {blob} in {self.root}; run git fsck")

    def compare_with_worktree(self, side: str) -> None:
        """Start the comparison with the work tree; ``differs_from_worktree`` waits for its result."""
        if side != WORKTREE and not self.bare and side not in (*self._comparing, *self._differing):
            options = ("--name-only", "--no-renames", "-z", "--ignore-submodules=all")
            # diff, unlike diff-files, compares contents where a file was written again with the same one
            compared = (
                ("-c", "diff.autoRefreshIndex=true", "diff", "--no-ext-diff", "--no-textconv", *options)
                if side == INDEX
                else ("diff-index", *options, END, side, "--")
            )
            untracked = (*_UNTRACKED, "--directory", "--no-empty-directory")
            self._comparing[side] = [self._git.unfiltered.popen(*compared), self._git.popen(*untracked)]

    def differs_from_worktree(self, side: str) -> frozenset[str]:
        """Return the paths whose content on disk differs from the revision: modified, missing, or
        untracked.
        """
        with self._compare_lock:
            if side not in self._differing:
                self._differing[side] = frozenset(self._compared_paths(side))
            return self._differing[side]

    def _compared_paths(self, side: str) -> set[str]:
        if self._comparer != os.getpid():  # a fork may not read what git tells its parent
            self._comparing, self._comparer = {}, os.getpid()
        self.compare_with_worktree(side)
        found: set[str] = set()
        both = self._comparing.pop(side, [])
        for process in both:
            assert process.stdout is not None
            with process.stdout as out:
                found |= {name.rstrip("/") for name in os.fsdecode(out.read()).split("\0") if name}
        if any(process.wait() for process in both):
            raise GitError(
                f"git could not compare {self.root} with the reviewed change; run git status there"
            )
        return found

    def files_with_word(self, side: str, words: Iterable[str], patterns: Sequence[str]) -> list[str]:
        """Return files at base or head that match the patterns and contain one of the words.

        Its own contents count: staged ones for the index, committed ones for a revision, and files on disk
        for the work tree, untracked ones included.
        """
        if side not in self._searches:
            self._searches[side] = WordSearch(self._searched_files(side))
        return self._searches[side].files(list(words), patterns)

    def _searched_files(self, side: str) -> SearchedFiles:
        if side == WORKTREE:
            return CheckedOutFiles(
                self._git,
                self.root,
                self._stored_files(INDEX),
                self.assumed_unchanged,
                lambda: self.tracked_paths(WORKTREE),
            )
        stored = self._stored_files(side)
        if self.bare or side not in (INDEX, self.head()):
            return stored
        return CheckedOutFiles(self._git, self.root, stored, lambda: self._elsewhere(side))

    def _stored_files(self, side: str) -> StoredFiles:
        location = "--cached" if side == INDEX else side
        stored = StoredFiles(self._git, location, lambda: self.blobs_of(side), self.blobs)
        self._searched_objects.append(stored)
        return stored

    @property
    def is_search_incomplete(self) -> bool:
        """Return True if a search in this process did without files that a partial clone lacks."""
        return any(stored.is_incomplete for stored in self._searched_objects)

    def _elsewhere(self, side: str) -> Collection[str]:
        """Return the paths that a search of the work tree does not find with their content in the
        revision.
        """
        return self.differs_from_worktree(side) | self._unchecked_paths.keys()

    @cached_property
    def _unchecked_paths(self) -> Mapping[str, str]:
        """The paths that git does not compare with the disk, and why: ``S`` for skip-worktree, a small
        letter for assume-unchanged, ``M`` for conflicts.
        """
        rows = self._git.output("ls-files", "-v", "-z").split("\0")
        return {row[2:]: row[0] for row in rows if row and row[0] != "H"}

    def assumed_unchanged(self) -> Collection[str]:
        """Return the paths that git assumes to be unchanged, as all paths outside of a sparse checkout."""
        return self._assumed_unchanged

    @cached_property
    def _assumed_unchanged(self) -> frozenset[str]:
        return frozenset(
            path
            for path, mark in self._unchecked_paths.items()
            if mark.islower() or not os.path.lexists(self.root / path)
        )

    def messages(self, base: str, head: str) -> list[str]:
        """Return the messages of the commits since a base, newest first; of all commits if it is the empty
        tree.
        """
        requested = [head] if base == self.empty_tree else [head, f"^{base}"]
        out = self._git.output("log", "-z", "--no-show-signature", "--format=%B", END, *requested, "--")
        return [message.strip() for message in out.split("\0") if message.strip()]

    def is_single_commit(self, base: str, head: str) -> bool:
        """Return True if a commit, and nothing else, is between two trees."""
        parents = self.blobs.parents(head)
        return parents == ([] if base == self.empty_tree else [base])

    def withdrawn_lines(self, change: Change, remaining: Collection[bytes]) -> WithdrawnLines:
        """Return the lines that a commit of a range adds and a later one removes.

        Args:
            remaining: the stripped lines that the range as a whole adds.
        """
        from wardround.change.withdrawn_lines import withdrawn_lines  # only reviews of several commits

        base, target = (name if name != self.empty_tree else "" for name in (change.base, change.target))
        shallow = self.common_dir / "shallow"
        boundary = shallow.read_text().split() if shallow.is_file() else ()
        return withdrawn_lines(self._git, base, [target], change.head, remaining, boundary)

    def author(self, commit: str) -> str:
        """Return name and address of the author of a commit; of an uncommitted change, of the user."""
        if not is_object_id(commit):
            ident = self._git.output("var", "GIT_AUTHOR_IDENT", allow=(0, 128))
            return ident.rpartition(">")[0] + ">" if ">" in ident else ""
        out = self._git.output("log", "-1", "--no-show-signature", "--format=%an <%ae>", END, commit, "--")
        return out.strip()

    def ancestors(self, commit: str, limit: int) -> list[str]:
        """Return the ids of a commit and its ancestors without merges, newest first, if they are in the
        clone.
        """
        requested = ("--no-merges", f"--max-count={limit}", END, commit, "--")
        return self._git.output("rev-list", *requested, allow=(0, 128)).split()

    def commits_touching(self, commits: Sequence[str]) -> list[tuple[str, str, list[str]]]:
        """Return for each commit its id, its message and the paths it touched; both names of a moved file.

        Git stops at a tree that this clone lacks; then those commits are missing.
        """
        if not commits:
            return []
        form = "--format=%x01%H%x02%B%x03"
        options = ("--no-walk=unsorted", "--no-show-signature", "--name-only", "--no-renames", "-z", form)
        lines = "".join(f"{commit}\n" for commit in commits).encode()
        out = self._git.output("log", *options, "--stdin", allow=(0, 128), stdin=lines)
        found = []
        for row in out.split("\x01")[1:]:
            reported, _, names = row.partition("\x03")
            commit, _, message = reported.partition("\x02")
            paths = [name.strip("\n") for name in names.split("\0")]
            found.append((commit, message.strip(), [path for path in paths if path]))
        return found

    def outgoing_base(self, local: str, remote: str) -> str:
        """Return the base of the commits of ``local`` that no branch of ``remote`` has; the empty tree for
        all.
        """
        known = ("--not", *tracking_branches(remote), "--not")
        new = self._git.output("rev-list", "--topo-order", "--reverse", *known, END, local, "--")
        first = new.split("\n", 1)[0]
        if not first:
            return local
        parents = self._git.output("rev-list", "--parents", "-n1", END, first, "--").split()[1:]
        return parents[0] if parents else self.empty_tree

    # Writing, for fixes only

    @property
    def index_file(self) -> Path:
        """The index that will be committed."""
        return Path(self._git.env.get("GIT_INDEX_FILE") or self.git_dir / "index")

    def staged_blob(self, path: str) -> str | None:
        """Return the id of the blob at a path of the index."""
        out = self._git.output("ls-files", "-s", "-z", "--", path)
        return out.split(" ", 2)[1] if out else None

    def write_blob(self, content: bytes) -> str:
        """Store content unchanged in the object database and return its id."""
        return self._git.output("hash-object", "-w", "--stdin", "--no-filters", stdin=content).strip()

    def commit_files(self, base: str, contents: Mapping[str, bytes | None], message: str) -> str:
        """Store a commit that no branch has: a commit with other contents of some files. Return its id.

        Index, work tree and branches remain as they are. Equal arguments return the same id.

        Args:
            base: id of the parent.
            contents: the new content of each path; None removes it. New files are not executable.

        Raises:
            GitError: a path cannot be in a tree.
        """
        modes = {path: mode for path, _, mode in self.entries_of(base)}
        removal = f"0 {'0' * len(base)}"
        entries = []
        for path, content in sorted(contents.items()):
            entry = removal if content is None else f"{modes.get(path, _REGULAR)} {self.write_blob(content)}"
            entries.append(f"{entry}\t{path}\0")
        with Snapshot(scratch_root(self.root)) as private:
            git = copy(self._git.unfiltered)
            git.env = git.env | self._identity_of_patch(base)
            git.env["GIT_INDEX_FILE"] = str(private.folder / "index")
            git.output("read-tree", base)
            git.output("update-index", "-z", "--index-info", stdin=os.fsencode("".join(entries)))
            tree = git.output("write-tree").strip()
            return git.output("commit-tree", "-p", base, tree, stdin=os.fsencode(message)).strip()

    def _identity_of_patch(self, base: str) -> dict[str, str]:
        """Return the variables for a commit whose id depends on its content only."""
        date = self._git.output(
            "log", "-1", "--no-show-signature", "--format=%ct +0000", END, base, "--"
        ).strip()
        return {
            f"GIT_{role}_{field}": value
            for role in ("AUTHOR", "COMMITTER")
            for field, value in (("NAME", _AUTHOR), ("EMAIL", ""), ("DATE", date))
        }

    def create_branch(self, name: str, commit: str) -> None:
        """Create a branch without checking it out.

        Raises:
            GitError: the name is not valid, or exists.
        """
        self._git.output("branch", "--no-track", END, name, commit)

    def update_index(self, entries: Iterable[tuple[str, str, str]]) -> None:
        """Update (mode, blob, path) entries of the index, all or none."""
        lines = [f"{mode} {blob} 0\t{path}\0" for mode, blob, path in entries]
        self._git.unfiltered.output("update-index", "-z", "--index-info", stdin=os.fsencode("".join(lines)))

    def merge_file(self, path: str, present: bytes, old: str, new: str) -> bytes | None:
        """Return a work-tree file with the difference of two blobs merged in; None on a conflict."""
        before, after = self._apply_checkout_filter(path, old), self._apply_checkout_filter(path, new)
        if present == before:
            return after
        with Snapshot(scratch_root(self.root)) as private:
            names = [private.folder / name for name in ("present", "before", "after")]
            for name, content in zip(names, (present, before, after), strict=True):
                name.write_bytes(content)
            done = subprocess.run(
                self._git.argv("merge-file", "-p", "-q", *map(str, names)),
                capture_output=True,
                env=self._git.env,
                check=False,
            )
        return done.stdout if done.returncode == 0 else None

    def _apply_checkout_filter(self, path: str, blob: str) -> bytes:
        requested = ("cat-file", "--filters", f"--path={path}", END, blob)
        return os.fsencode(self._git.unfiltered.output(*requested))

    # Running git

    def _require_worktree(self, option: str) -> None:
        if self.bare:
            raise GitError(
                f"{self.root} is a bare repository, which has nothing for {option}; give --base and --head"
            )

    def _untracked_file(self, path: str) -> ChangedFile:
        mode = "120000" if (self.root / path).is_symlink() else "100644"
        return ChangedFile(path, None, FileStatus.ADDED, mode)
