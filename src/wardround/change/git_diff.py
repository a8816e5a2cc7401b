"""The difference between two trees, from git's own diff."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from wardround.change.diff import Change, ChangedFile, FileStatus, Hunk, hunks_of, unquote
from wardround.change.git_process import GitProcess
from wardround.errors import DiffError, GitError
from wardround.lazy import LazyPattern

_DIFF_OPTIONS = (
    "--no-color", "--no-ext-diff", "--no-textconv", "--no-relative", "--find-renames", "-l1000",
    "--ignore-submodules=dirty", "--submodule=short", "--diff-algorithm=histogram", "-O/dev/null",
)  # fmt: skip
_PATCH = ("diff", "-p", "-U0", "--diff-filter=dtu", "--src-prefix=a/", "--dst-prefix=b/", *_DIFF_OPTIONS)
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
_WHOLE_FILE = LazyPattern(r"@@ -0,0 \+1(?:,(\d+))? @@")


class GitDiff:
    """Requests the difference of two trees from git, given as arguments of ``git diff``."""

    def __init__(self, git: GitProcess) -> None:
        self._git = git

    def change(self, sides: Sequence[str], base: str, head: str) -> Change:
        """Return the files that differ, with their hunks, by path; ``base`` and ``head`` are names of the
        trees.
        """
        patch = self._git.popen(*_PATCH, *sides, "--")
        assert patch.stdout is not None
        with patch.stdout as lines:
            files = self._entries(sides)
            try:
                hunks = self._hunks_of_all(sides, files, _sections(line.decode("latin-1") for line in lines))
            except (DiffError, GitError):
                hunks = None
        if patch.wait() != 0 or hunks is None:  # an object is missing; each file's own patch shows which
            done = [item for file in files if (item := self._compared_alone(sides, file)) is not None]
        else:
            done = [replace(file, hunks=hunks[file.path]) for file in files if file.path in hunks]
        return Change(base, head, tuple(sorted(done, key=lambda file: file.path)))

    def _entries(self, sides: Sequence[str]) -> list[ChangedFile]:
        """Return the files that differ, without their hunks."""
        raw = ("diff", "--raw", "-z", "--no-abbrev", *_DIFF_OPTIONS)
        try:
            return list(_raw_entries(self._git.output(*raw, *sides, "--")))
        except GitError:  # renames cannot be detected if contents are missing
            return list(_raw_entries(self._git.output(*raw, "--no-renames", *sides, "--")))

    def _hunks_of_all(
        self, sides: Sequence[str], files: Sequence[ChangedFile], sections: Iterator[Iterator[str]]
    ) -> dict[str, tuple[Hunk, ...]] | None:
        """Return the hunks by path, without unmodified files; None if the list of files and the patch
        disagree.
        """
        found: dict[str, tuple[Hunk, ...]] = {}
        section = next(sections, None)
        header = "" if section is None else next(section)
        for file in files:
            if file.status in _WITHOUT_HUNKS:
                found[file.path] = ()
                continue
            if file.has_unknown_hunks and _path_in(header) != file.path:
                continue
            if section is None:
                return None
            found[file.path] = self._hunks(sides, file, section)
            section = next(sections, None)
            header = "" if section is None else next(section)
        return found if section is None else None

    def _compared_alone(self, sides: Sequence[str], file: ChangedFile) -> ChangedFile | None:
        """Return a file with its hunks, or lost if a version of it is missing; None if it is unmodified."""
        if file.status in _WITHOUT_HUNKS:
            return file
        paths = sorted({file.path, file.base_path or file.path})
        try:
            patch = os.fsencode(self._git.output(*_PATCH, *sides, "--", *paths)).decode("latin-1")
            section = next(_sections(line + "\n" for line in patch.split("\n")), None)
            if section is None:
                return None if file.has_unknown_hunks else file
            return replace(file, hunks=self._hunks(sides, file, section))
        except GitError:
            return replace(file, lost=True)

    def _hunks(self, sides: Sequence[str], file: ChangedFile, section: Iterator[str]) -> tuple[Hunk, ...]:
        lines: list[str] = []
        for line in section:
            if line.startswith("@@ "):
                complete = _WHOLE_FILE.match(line) if file.status is FileStatus.ADDED else None
                if complete:  # every line is added: nothing to parse
                    return (Hunk(0, 0, 1, int(complete[1] or 1)),)
                return hunks_of(_chain(line, section))
            lines.append(line)
        if any(line.startswith("Binary files ") for line in lines) and file.base_path is not None:
            return self._hunks_as_text(sides, file)
        return ()

    def _hunks_as_text(self, sides: Sequence[str], file: ChangedFile) -> tuple[Hunk, ...]:
        """Return the hunks of a file that git considers binary, by an attribute or for its bytes."""
        paths = {file.path, file.base_path or file.path}
        patch = self._git.popen("diff", "-p", "-U0", "--text", *_DIFF_OPTIONS, *sides, "--", *sorted(paths))
        assert patch.stdout is not None
        with patch.stdout as lines:
            decoded = (line.decode("latin-1") for line in lines)
            body = (line for section in _sections(decoded) for line in _from_first_hunk(section))
            hunks = hunks_of(body)
        if patch.wait() != 0:
            raise GitError(
                f"git diff failed in {self._git.folder} for {file.path}; fetch the missing objects"
            )
        return hunks


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
            mode = "100644"  # each of the versions has its own, and git prints none
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
    """Split a patch before its ``diff --git`` lines; an unread part is skipped with the next."""
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
    """Return the path in the ``diff --git`` line of a file that is not renamed: it occurs there twice."""
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
