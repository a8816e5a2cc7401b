"""The edits of files between two commits, as the contents before and after each."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice

import msgspec

from wardround.change.git_process import GitProcess
from wardround.change.revisions import END

_OPTIONS = ("--topo-order", "--reverse", "--no-show-signature", "--raw", "-c", "--no-abbrev", "-z")
_RENAMES = ("-r", "-m", "-M", "--diff-filter=R", "--raw", "--no-abbrev", "-z", "--no-commit-id")
_MOST_PATHS = 200
"""Above it git lists the edits of all files: the command line has a limit."""


class FileEdit(msgspec.Struct, frozen=True):
    """The edit of a file by a commit; a merge is listed only where the file differs from that of each parent.

    Attributes:
        before: object ids at the parents; empty where the file does not exist.
        after: object id; empty if the commit removes the file.
    """

    commit: str
    path: str
    before: tuple[str, ...]
    after: str


class FileRename(msgspec.Struct, frozen=True):
    """A rename by a commit, compared with one of its parents.

    Attributes:
        before, after: object ids of the content at both paths.
    """

    old: str
    new: str
    before: str
    after: str


class FileHistory:
    """Lists the edits of files, and the renames of a commit."""

    def __init__(self, git: GitProcess) -> None:
        self._git = git

    def edits(self, base: str, head: str, paths: Collection[str]) -> list[FileEdit]:
        """Return the edits of some files by the commits that the head has and the base lacks, oldest first.

        A rename is a removal and an addition.
        """
        if not paths:
            return []
        limited = sorted(paths) if len(paths) <= _MOST_PATHS else []
        form = "--format=%x00%H"
        out = self._git.output("log", *_OPTIONS, "--no-renames", form, END, head, f"^{base}", "--", *limited)
        return [edit for edit in _edits(out) if edit.path in paths]

    def renames(self, commit: str) -> list[FileRename]:
        """Return the files that a commit renames; a merge, those that it renames for one of its parents."""
        out = self._git.output("diff-tree", *_RENAMES, END, commit, "--")
        fields = iter(out.split("\0"))
        rows = zip(fields, fields, fields, strict=False)
        return [FileRename(old, new, *row.split(" ")[2:4]) for row, old, new in rows if row.startswith(":")]

    def commits(self, base: str, head: str) -> list[str]:
        """Return the commits that the head has and the base lacks, oldest first."""
        out = self._git.output("rev-list", "--topo-order", "--reverse", END, head, f"^{base}", "--")
        return out.split()


def _edits(out: str) -> Iterator[FileEdit]:
    """Parse the output of ``git log --raw -c -z``: a line of colons, modes, ids and letters, then a path."""
    commit = ""
    fields = iter(out.split("\0"))
    for field in fields:
        row = field.lstrip("\n")
        if row.startswith(":"):
            yield _edit(commit, row, next(fields))
        elif row:
            commit = row.strip()


def _edit(commit: str, row: str, path: str) -> FileEdit:
    parents = len(row) - len(row.lstrip(":"))
    ids = list(islice(row.split(" "), parents + 1, 2 * parents + 2))
    return FileEdit(commit, path, tuple(map(_present, ids[:-1])), _present(ids[-1]))


def _present(blob: str) -> str:
    return blob if blob.strip("0") else ""
